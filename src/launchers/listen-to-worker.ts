import type { Readable } from "node:stream";
import type { MillraceError } from "../shared/errors.ts";
import { unpackError } from "../shared/pack-error.ts";
import type { WorkerExit } from "../store/attempt-notes.ts";
import type { WorkerMessage, WorkerStart } from "../worker/worker-line.ts";
import type { WorkerEnd } from "./supervise.ts";
import { openWorkerLog } from "./worker-log.ts";

/** What a launcher hears of a worker, however it was started. */
export interface WorkerEar {
  readonly ended: Promise<WorkerEnd>;
  onMessage(message: WorkerMessage): void;
  /** The worker is gone. If it has said how it ended, that counts. */
  onExit(exit: WorkerExit): void;
}

export interface ListenedStart extends WorkerStart {
  /** It has built its env. */
  readonly onReady?: (() => void) | undefined;
}

const lastWordsLength = 4000;
const outputGraceMs = 200;

/** Listens to a worker: what it writes is shown and kept, what it says becomes its end. */
export function listenToWorker(
  { runDir, name, onReady }: ListenedStart,
  { stdout, stderr }: { readonly stdout: Readable; readonly stderr: Readable },
): WorkerEar {
  const log = openWorkerLog(runDir, name);
  let lastWords = "";
  let openStreams = 2;
  let wasReady = false;
  let uncaught: string | undefined;
  let failing: MillraceError | undefined;
  let end: (how: WorkerEnd) => void = () => {};
  let onSilence = () => {};
  const ended = new Promise<WorkerEnd>((resolve) => {
    end = resolve;
  });
  for (const [from, to] of [
    [stdout, process.stdout],
    [stderr, process.stderr],
  ] as const) {
    from.on("data", (chunk: Buffer) => {
      to.write(chunk);
      log.write(chunk);
      if (from === stderr) lastWords = (lastWords + chunk.toString()).slice(-lastWordsLength);
    });
    from.once("close", () => {
      if (--openStreams > 0) return;
      log.close();
      onSilence();
    });
  }
  return {
    ended,
    onMessage(message) {
      if (message.say === "ready") {
        wasReady = true;
        onReady?.();
      }
      if (message.say === "uncaught") uncaught = message.message;
      else if (message.say === "failing") failing = unpackError(message.error);
      else if (message.say === "failed") end({ kind: "failed", error: unpackError(message.error) });
      else if (message.say === "end") end({ kind: message.outcome, committed: message.committed });
    },
    onExit({ message = uncaught, ...exit }) {
      const tell = () => {
        if (failing !== undefined) end({ kind: "failed", error: failing });
        else end({ kind: "crashed", exit: { ...exit, message }, wasReady, lastWords: lastWords || (message ?? "") });
      };
      // What it wrote last may still be on its way.
      if (openStreams === 0) tell();
      onSilence = tell;
      setTimeout(tell, outputGraceMs).unref();
    },
  };
}
