/** The environment variable with the time by which workers must have left, in milliseconds of the host's clock. */
export const deadlineVariable = "MILLRACE_DEADLINE";

// The next item may take this much longer than the longest one so far.
const margin = 1.5;

/** When a worker must have left. */
export interface Deadline {
  /**
   * Whether it is time to leave, because an item that begins now would not end before the deadline. A worker calls this
   * between two items, so the time between two calls counts as the length of an item.
   */
  isTimeUp(): boolean;
  /** The same for an item of this length. */
  isTimeUpFor(itemMs: number): boolean;
}

export function openDeadline(deadlineMs: number | undefined, now: () => number = Date.now): Deadline {
  if (deadlineMs === undefined) return { isTimeUp: () => false, isTimeUpFor: () => false };
  // Measured from the first call on, so that building the env does not count as an item.
  let lastMs: number | undefined;
  let longestMs = 0;
  const isTimeUpFor = (itemMs: number) => now() + itemMs * margin >= deadlineMs;
  return {
    isTimeUp() {
      const nowMs = now();
      longestMs = Math.max(longestMs, nowMs - (lastMs ?? nowMs));
      lastMs = nowMs;
      return isTimeUpFor(longestMs);
    },
    isTimeUpFor,
  };
}

/** The deadline in this process's environment, if any. */
export function deadlineFromEnvironment(environment: NodeJS.ProcessEnv = process.env): number | undefined {
  const given = Number(environment[deadlineVariable] ?? Number.NaN);
  return Number.isFinite(given) ? given : undefined;
}
