import type { JSX } from "preact";
import type { Overview, RunAction } from "../../../src/dashboard/run-view.ts";
import { isUnderWay } from "../../../src/run-folder/run/run-state.ts";
import { formatCount, plural } from "../format.ts";
import type { RunSource } from "../source/run-source.ts";
import { announce } from "./announcer.tsx";
import { ConfirmButton } from "./confirm-button.tsx";
import { useSource } from "./use-source.ts";

/** Cancel and drain, if workers are active. */
export function RunActions({ id, overview }: { id: string; overview: Overview }): JSX.Element | null {
  const source = useSource();
  const { state, stopping, workers } = overview;
  const isBusy = isUnderWay(state) || workers.length > 0;
  if (!source.isLive || !isBusy) return null;
  return (
    <div class="actions">
      {stopping === null && (
        <ConfirmButton
          label="Drain"
          confirmLabel="Drain the run"
          question="Drain this run?"
          act={() => order(source, id, "drain")}
        >
          Workers finish their current shard, claim no other, and exit. Start the run again and it continues.
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
          {`Every worker (${plural(workers.length, "worker")}) saves, releases its shard and exits. What is done is kept.`}
        </ConfirmButton>
      )}
    </div>
  );
}

/** Runs failed items again, if there are any and no worker is active. */
export function RetryButton({ id, overview }: { id: string; overview: Overview }): JSX.Element | null {
  const source = useSource();
  const { items, workers, state } = overview;
  if (items.failed === 0 || workers.length > 0 || isUnderWay(state)) return null;
  return (
    <ConfirmButton
      label="Retry"
      confirmLabel="Run them again"
      question="Retry what has failed?"
      act={() => order(source, id, "retry")}
    >
      {`Runs only the ${formatCount(items.failed)} failed ${items.failed === 1 ? "item" : "items"} again, on the machine of this dashboard.`}
    </ConfirmButton>
  );
}

async function order(source: RunSource, id: string, action: RunAction): Promise<void> {
  const { ok, message } = await source.act(id, action);
  announce(message, ok);
}
