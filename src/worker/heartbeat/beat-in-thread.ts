import { Worker } from "node:worker_threads";
import { entryUrl } from "../../runtime/entry-url.ts";
import type { HeartbeatData } from "./heartbeat-protocol.ts";

/** Starts a heartbeat in a thread that no item blocks, until `stop`. `onUnable` is called where it cannot start. */
export type StartHeartbeatThread = (data: HeartbeatData, onUnable: () => void) => { stop(): void };

/** Starts a new thread: for a worker that is a process. */
export const beatInThread: StartHeartbeatThread = (workerData, onUnable) => {
  const thread = new Worker(entryUrl("heartbeat-thread.cjs"), { workerData, execArgv: [] });
  thread.once("error", onUnable);
  thread.unref();
  return {
    // Not awaited: a beat that is under way renews existing files only.
    stop: () => void thread.terminate(),
  };
};
