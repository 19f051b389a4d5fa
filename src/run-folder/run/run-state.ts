/**
 * - `running`: a worker or a driver is at work
 * - `stalled`: the same, but nothing moves: a worker gives no sign of life, or no item has ended for long; `stalled` has the reason
 * - `queued`: jobs wait at a scheduler
 * - `stopped`: nothing is at work and items are left: cancelled, Ctrl-C, or its processes were killed
 * - `failed`: an error ended the last start; `failure` is that error
 * - `complete`: all items are done and merged
 * - `complete with failures`: the same, but some items failed and were skipped
 *
 * A new start continues a run that is `stopped` or `failed`.
 */
export type RunState = "running" | "stalled" | "queued" | "stopped" | "failed" | "complete" | "complete with failures";

/** How a state is coloured, on terminals and pages: at work, good, to be looked at, bad. */
export type StateColour = "active" | "good" | "warn" | "bad";

export const colourOfState: Readonly<Record<RunState | "unreadable", StateColour>> = {
  running: "active",
  stalled: "warn",
  queued: "warn",
  stopped: "warn",
  failed: "bad",
  complete: "good",
  "complete with failures": "warn",
  unreadable: "bad",
};

/** Whether all items of a run are done and merged. */
export function isComplete(state: RunState): boolean {
  return state === "complete" || state === "complete with failures";
}

/** Whether a worker or a driver is alive. */
export function isAtWork(state: RunState): boolean {
  return state === "running" || state === "stalled";
}

/** Whether a worker or a driver is alive, or jobs are pending. */
export function isUnderWay(state: RunState): boolean {
  return isAtWork(state) || state === "queued";
}
