import { BroadcastChannel, Worker } from "node:worker_threads";
import { entryUrl } from "../shared/entry-url.ts";
import { messageOf } from "../shared/errors.ts";
import { leaveOrder, stuckChannel, type WorkerStart } from "../worker/worker-line.ts";
import { listenToWorker } from "./listen-to-worker.ts";
import type { StartedWorker } from "./supervise.ts";

export interface ThreadOptions extends WorkerStart {
  readonly maxHeapMb: number | undefined;
}

/** Starts a worker in a thread of this process. */
export function startThread({ runDir, name, maxHeapMb }: ThreadOptions): StartedWorker {
  const start: WorkerStart = { runDir, name };
  const worker = new Worker(entryUrl("worker-thread.js"), {
    workerData: start,
    stdout: true,
    stderr: true,
    ...(maxHeapMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } }),
  });
  const ear = listenToWorker(start, worker);
  let uncaught: string | undefined;
  worker.on("message", ear.onMessage);
  worker.on("error", (error) => {
    uncaught = messageOf(error);
  });
  worker.on("exit", (code) => ear.onExit({ code, message: uncaught }));
  const kill = () => void worker.terminate();
  // A worker that is stuck cannot say so; the thread of its heartbeat does.
  const channel = new BroadcastChannel(stuckChannel(name));
  channel.onmessage = kill;
  channel.unref();
  worker.once("exit", () => channel.close());
  return { name, kill, begin() {}, ended: ear.ended, leave: () => worker.postMessage(leaveOrder) };
}
