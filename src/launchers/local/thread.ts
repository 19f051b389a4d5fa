import { Worker } from "node:worker_threads";
import { messageOf } from "../../errors/errors.ts";
import { entryUrl } from "../../runtime/entry-url.ts";
import type { HeartbeatData } from "../../worker/heartbeat/heartbeat-protocol.ts";
import { openBeat } from "../../worker/heartbeat/open-beat.ts";
import type { ThreadStart, WorkerRequest, WorkerResponse } from "../../worker/messages.ts";
import { checkCountOptions } from "../check-options.ts";
import type { PooledLauncher, StartedWorker } from "../launcher.ts";
import { openEarlyPool } from "./early-pool.ts";
import { monitorWorker } from "./monitor-worker.ts";

const threadOptions = ["max_heap_mb"] as const;

/**
 * `env: thread`: threads of this process, for pure JavaScript. They start faster than processes. A native crash ends
 * all of them, and native addons may not support threads.
 */
export const threadLauncher: PooledLauncher = {
  kind: "pooled",
  env: "thread",
  check: (parallel) => void checkCountOptions(parallel, threadOptions),
  openPool({ runDir, parallel, early }) {
    const { max_heap_mb: maxHeapMb } = checkCountOptions(parallel, threadOptions);
    return openEarlyPool(early, ({ name, slot }) =>
      startThread({ runDir, name, maxHeapMb, current: { worker: slot, workers: parallel.nWorkers } }),
    );
  },
};

interface ThreadOptions extends ThreadStart {
  readonly maxHeapMb: number | undefined;
}

/** Starts a worker in a thread of this process. */
function startThread({ runDir, name, current, maxHeapMb }: ThreadOptions): StartedWorker {
  const start: ThreadStart = { runDir, name, current };
  const worker = new Worker(entryUrl("worker-thread.js"), {
    workerData: start,
    stdout: true,
    stderr: true,
    ...(maxHeapMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } }),
  });
  const monitor = monitorWorker(start, worker);
  const kill = () => void worker.terminate();
  let endBeats = () => {};
  let uncaught: string | undefined;
  worker.on("message", (response: WorkerResponse) => {
    if (response.kind === "start heartbeat") endBeats = beatForThread(response.data, kill);
    else if (response.kind === "stop heartbeat") endBeats();
    else monitor.onResponse(response);
  });
  worker.on("error", (error) => {
    uncaught = messageOf(error);
  });
  worker.on("exit", (code) => {
    endBeats();
    monitor.onExit({ code, message: uncaught, atMs: Date.now() });
  });
  const send = (request: WorkerRequest) => worker.postMessage(request);
  return { name, kill, ended: monitor.ended, send };
}

const beats = new Set<() => void>();
let timer: NodeJS.Timeout | undefined;

/**
 * Runs the heartbeat of a worker thread in this thread, which runs no items: a heartbeat thread for each worker would
 * cost some 50 ms of CPU time. Returns a function that ends it.
 */
function beatForThread(data: HeartbeatData, endWorker: () => void): () => void {
  const beat = openBeat(data, endWorker);
  beats.add(beat);
  timer ??= setInterval(() => {
    for (const each of beats) each();
  }, data.beatMs).unref();
  return () => {
    beats.delete(beat);
    if (beats.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
