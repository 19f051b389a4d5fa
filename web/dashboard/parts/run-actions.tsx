import type { JSX } from "preact";
import type { Overview, RunAction } from "../../../src/dashboard/run-view.ts";
import { formatCount, plural } from "../format.ts";
import type { RunSource } from "../source/run-source.ts";
import { announce } from "./announcer.tsx";
import { ConfirmButton } from "./confirm-button.tsx";
import { useSource } from "./use-source.ts";

/** Cancel and drain, where someone is there to obey. */
export function RunActions({ id, overview }: { id: string; overview: Overview }): JSX.Element | null {
  const source = useSource();
  const { state, stopping, workers } = overview;
  const isUnderWay = state === "running" || state === "queued" || workers.length > 0;
  if (!source.isLive || !isUnderWay) return null;
  return (
    <div class="actions">
      {stopping === null && (
        <ConfirmButton
          label="Drain"
          confirmLabel="Drain the run"
          question="Drain this run?"
          act={() => order(source, id, "drain")}
        >
          Workers finish the shard that they are in, take no other, and leave. Start the run again and it goes on.
        </ConfirmButton>
      )}
      {stopping !== "cancel" && (
        <ConfirmButton
          label="Cancel"
          confirmLabel="Cancel the run"
          question="Cancel this run?"
          act={() => order(source, id, "cancel")}
          isDangerous
        >
          {`Everyone at work (${plural(workers.length, "worker")}) saves, gives their shard back and leaves. What is done is kept.`}
        </ConfirmButton>
      )}
    </div>
  );
}

/** Runs failed items once more, where some have failed and nobody is at work. */
export function RetryButton({ id, overview }: { id: string; overview: Overview }): JSX.Element | null {
  const source = useSource();
  const { items, workers, state } = overview;
  if (items.failed === 0 || workers.length > 0 || state === "running" || state === "queued") return null;
  return (
    <ConfirmButton
      label="Retry"
      confirmLabel="Run them again"
      question="Retry what has failed?"
      act={() => order(source, id, "retry")}
    >
      {`Runs ${formatCount(items.failed)} failed ${items.failed === 1 ? "item" : "items"} once more, alone, on the machine of this dashboard.`}
    </ConfirmButton>
  );
}

async function order(source: RunSource, id: string, action: RunAction): Promise<void> {
  const { ok, message } = await source.act(id, action);
  announce(message, ok);
}
