import { Worker } from "node:worker_threads";
import { entryUrl } from "../shared/entry-url.ts";
import { messageOf } from "../shared/errors.ts";
import { beginOrder, leaveOrder, type ThreadMessage, type WorkerStart } from "../worker/worker-line.ts";
import { beatForThread } from "./beat-for-thread.ts";
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
  const kill = () => void worker.terminate();
  let endBeats = () => {};
  let uncaught: string | undefined;
  worker.on("message", (message: ThreadMessage) => {
    if (message.say === "beat") endBeats = beatForThread(message.data, kill);
    else if (message.say === "stop beating") endBeats();
    else if (message.say === "output") ear.onOutput(message.stream, message.bytes);
    else ear.onMessage(message);
  });
  worker.on("error", (error) => {
    uncaught = messageOf(error);
  });
  worker.on("exit", (code) => {
    endBeats();
    ear.onExit({ code, message: uncaught, atMs: Date.now() });
  });
  const tell = (order: string) => worker.postMessage(order);
  return { name, kill, ended: ear.ended, begin: () => tell(beginOrder), leave: () => tell(leaveOrder) };
}
