/** The variable by which a job tells its workers when they are to have left, in milliseconds of the host's clock. */
export const deadlineVariable = "MILLRACE_DEADLINE";

// Items of one data set differ; one that takes this much longer than the longest so far is still in time.
const margin = 1.5;

/**
 * Whether it is time to leave: what is begun now would not be over by the deadline. How long an item takes is measured
 * by how far apart the questions are, since a worker asks between two items.
 */
export function openDeadline(deadlineMs: number | undefined, now: () => number = Date.now): () => boolean {
  if (deadlineMs === undefined) return () => false;
  // From the first question on: building the env is no item.
  let lastMs: number | undefined;
  let longestMs = 0;
  return () => {
    const nowMs = now();
    longestMs = Math.max(longestMs, nowMs - (lastMs ?? nowMs));
    lastMs = nowMs;
    return nowMs + longestMs * margin >= deadlineMs;
  };
}

/** The deadline that this process was given, if any. */
export function ownDeadlineMs(environment: NodeJS.ProcessEnv = process.env): number | undefined {
  const given = Number(environment[deadlineVariable] ?? Number.NaN);
  return Number.isFinite(given) ? given : undefined;
}
