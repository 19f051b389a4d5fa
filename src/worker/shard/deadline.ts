/** The environment variable with the time by which workers must have left, in milliseconds of the host's clock. */
export const deadlineVariable = "MILLRACE_DEADLINE";

// The next item may take this many times as long as the longest so far.
const margin = 1.5;

/** When a worker must have left. */
export interface Deadline {
  /**
   * Whether it is time to leave: an item that begins now would not end before the deadline. The time between two calls is
   * taken as the length of an item, since a worker calls between two items.
   */
  isTimeUp(): boolean;
  /** The same, where items of up to this length are known. */
  isTimeUpFor(itemMs: number): boolean;
}

export function openDeadline(deadlineMs: number | undefined, now: () => number = Date.now): Deadline {
  if (deadlineMs === undefined) return { isTimeUp: () => false, isTimeUpFor: () => false };
  // Measured from the first call on: building the env is not an item.
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
