import type { Readable } from "node:stream";
import type { MillraceError } from "../shared/errors.ts";
import { unpackError } from "../shared/pack-error.ts";
import type { WorkerExit } from "../store/attempt-notes.ts";
import type { WorkerMessage, WorkerStart } from "../worker/worker-line.ts";
import type { WorkerEnd } from "./supervise.ts";
import { takeOutput, type WorkerOutput } from "./take-output.ts";

/** What a launcher hears of a worker, however it was started. */
export interface WorkerEar extends Pick<WorkerOutput, "onOutput"> {
  readonly ended: Promise<WorkerEnd>;
  onMessage(message: WorkerMessage): void;
  /** The worker is gone. If it has said how it ended, that counts. */
  onExit(exit: WorkerExit): void;
}

export interface ListenedStart extends WorkerStart {
  /** It has built its env. */
  readonly onReady?: (() => void) | undefined;
}

/** Listens to a worker: what it writes is shown and kept, what it says becomes its end. */
export function listenToWorker(
  { runDir, name, onReady }: ListenedStart,
  streams: { readonly stdout: Readable; readonly stderr: Readable },
): WorkerEar {
  const output = takeOutput({ runDir, name }, streams);
  let wasReady = false;
  let wasWarned = false;
  let uncaught: string | undefined;
  let failing: MillraceError | undefined;
  let end: (how: WorkerEnd) => void = () => {};
  const ended = new Promise<WorkerEnd>((resolve) => {
    end = resolve;
  });
  return {
    ended,
    onOutput: output.onOutput,
    onMessage(message) {
      if (message.say === "ready") {
        wasReady = true;
        onReady?.();
      }
      if (message.say === "warned") wasWarned = true;
      else if (message.say === "uncaught") uncaught = message.message;
      else if (message.say === "failing") failing = unpackError({ ...message.error, worker: name });
      else if (message.say === "failed")
        end({ kind: "failed", error: unpackError({ ...message.error, worker: name }) });
      else if (message.say === "end") end({ kind: message.outcome, committed: message.committed });
    },
    onExit({ message = uncaught, ...exit }) {
      void output.whenRead().then(() => {
        if (failing !== undefined) end({ kind: "failed", error: failing });
        else {
          const lastWords = output.lastWords() || (message ?? "");
          end({
            kind: "crashed",
            exit: { ...exit, message, ...(wasWarned ? { wasWarned } : {}) },
            wasReady,
            lastWords,
          });
        }
      });
    },
  };
}
