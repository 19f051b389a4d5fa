/** The environment variable with the time by which workers must have left, in milliseconds of the host's clock. */
export const deadlineVariable = "MILLRACE_DEADLINE";

// The next item may take this many times as long as the longest so far.
const margin = 1.5;

/**
 * Returns whether it is time to leave: an item that begins now would not end before the deadline. The time between two
 * calls is taken as the length of an item, since a worker calls between two items.
 */
export function openDeadline(deadlineMs: number | undefined, now: () => number = Date.now): () => boolean {
  if (deadlineMs === undefined) return () => false;
  // Measured from the first call on: building the env is not an item.
  let lastMs: number | undefined;
  let longestMs = 0;
  return () => {
    const nowMs = now();
    longestMs = Math.max(longestMs, nowMs - (lastMs ?? nowMs));
    lastMs = nowMs;
    return nowMs + longestMs * margin >= deadlineMs;
  };
}

/** The deadline in this process's environment, if any. */
export function deadlineFromEnvironment(environment: NodeJS.ProcessEnv = process.env): number | undefined {
  const given = Number(environment[deadlineVariable] ?? Number.NaN);
  return Number.isFinite(given) ? given : undefined;
}
