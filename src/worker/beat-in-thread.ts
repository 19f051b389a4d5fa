import { Worker } from "node:worker_threads";
import { entryUrl } from "../shared/entry-url.ts";
import type { HeartbeatData } from "./heartbeat-protocol.ts";

/** Has a heart beat somewhere that no item blocks, until `stop`. `onUnable`: it cannot. */
export type StartBeating = (data: HeartbeatData, onUnable: () => void) => { stop(): void };

/** In a thread of its own: the way of a worker that is a process. */
export const beatInThread: StartBeating = (workerData, onUnable) => {
  const thread = new Worker(entryUrl("heartbeat-thread.cjs"), { workerData, execArgv: [] });
  thread.once("error", onUnable);
  thread.unref();
  return {
    // Not waited for: a beat that is under way renews what is there, and makes no file anew.
    stop: () => void thread.terminate(),
  };
};
