import type { Readable } from "node:stream";
import type { MillraceError } from "../../errors/errors.ts";
import { unpackError } from "../../errors/pack-error.ts";
import type { WorkerExit } from "../../run-folder/history/attempt-notes.ts";
import type { WorkerResponse, WorkerStart } from "../../worker/messages.ts";
import type { WorkerEnd } from "../launcher.ts";
import { takeOutput } from "./take-output.ts";

/** Determines how a worker ended from its responses and its exit, for processes and threads. */
export interface WorkerMonitor {
  readonly ended: Promise<WorkerEnd>;
  onResponse(response: WorkerResponse): void;
  /** Called when the worker has exited. Its final message, if there was one, decides how it ended. */
  onExit(exit: WorkerExit): void;
}

export interface MonitoredStart extends WorkerStart {
  /** Called when its env is built. */
  readonly onReady?: (() => void) | undefined;
}

/** Monitors a worker: prints and logs its output, and determines how it ended. */
export function monitorWorker(
  { runDir, name, onReady }: MonitoredStart,
  streams: { readonly stdout: Readable; readonly stderr: Readable },
): WorkerMonitor {
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
    onResponse(response) {
      switch (response.kind) {
        case "ready":
          wasReady = true;
          return onReady?.();
        case "warned":
          wasWarned = true;
          return;
        case "uncaught":
          uncaught = response.message;
          return;
        case "output":
          return output.onOutput(response.stream, response.bytes);
        case "failing":
          failing = unpackError({ ...response.error, worker: name });
          return;
        case "failed":
          return end({ kind: "failed", error: unpackError({ ...response.error, worker: name }) });
        case "end":
          return end({ kind: response.outcome, committed: response.committed });
      }
    },
    onExit({ message = uncaught, ...exit }) {
      void output.whenRead().then(() => {
        if (failing !== undefined) end({ kind: "failed", error: failing });
        else {
          const lastOutput = output.lastOutput() || (message ?? "");
          end({
            kind: "crashed",
            exit: { ...exit, message, ...(wasWarned ? { wasWarned } : {}) },
            wasReady,
            lastOutput,
          });
        }
      });
    },
  };
}
