import { BroadcastChannel, Worker } from "node:worker_threads";
import { entryUrl } from "../shared/entry-url.ts";
import { messageOf } from "../shared/errors.ts";
import { unpackError } from "../shared/pack-error.ts";
import { leaveOrder, stuckChannel, type WorkerMessage, type WorkerStart } from "../worker/worker-line.ts";
import type { StartedWorker, WorkerEnd } from "./supervise.ts";

export interface ThreadOptions extends WorkerStart {
  readonly maxHeapMb: number | undefined;
}

/** Starts a worker in a thread of this process. */
export function startThread({ runDir, name, maxHeapMb }: ThreadOptions): StartedWorker {
  const start: WorkerStart = { runDir, name };
  const worker = new Worker(entryUrl("worker-thread"), {
    workerData: start,
    ...(maxHeapMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } }),
  });
  const kill = () => void worker.terminate();
  // A worker that is stuck cannot say so; the thread of its heartbeat does.
  const channel = new BroadcastChannel(stuckChannel(name));
  channel.onmessage = kill;
  channel.unref();
  worker.once("exit", () => channel.close());
  return { name, kill, ended: watch(worker), leave: () => worker.postMessage(leaveOrder) };
}

function watch(worker: Worker): Promise<WorkerEnd> {
  let wasReady = false;
  let uncaught: string | undefined;
  return new Promise((resolve) => {
    worker.on("message", (message: WorkerMessage) => {
      if (message.say === "ready") wasReady = true;
      else if (message.say === "uncaught") uncaught = message.message;
      else if (message.say === "failed") resolve({ kind: "failed", error: unpackError(message.error) });
      else resolve({ kind: message.outcome, committed: message.committed });
    });
    worker.on("error", (error) => {
      uncaught ??= messageOf(error);
    });
    worker.on("exit", (code) =>
      resolve({ kind: "crashed", exit: { code, message: uncaught }, wasReady, lastWords: uncaught ?? "" }),
    );
  });
}
