import { Worker } from "node:worker_threads";
import { entryUrl } from "../../runtime/entry-url.ts";
import type { HeartbeatData } from "./heartbeat-protocol.ts";

/** Starts a heartbeat in a thread that items do not block; it runs until `stop`. Calls `onUnable` if it cannot start. */
export type StartHeartbeatThread = (data: HeartbeatData, onUnable: () => void) => { stop(): void };

/** Starts a new thread. For a worker that is a process. */
export const beatInThread: StartHeartbeatThread = (workerData, onUnable) => {
  const thread = new Worker(entryUrl("heartbeat-thread.cjs"), { workerData, execArgv: [] });
  thread.once("error", onUnable);
  thread.unref();
  return {
    // Not awaited: a beat that still runs only renews existing files.
    stop: () => void thread.terminate(),
  };
};
