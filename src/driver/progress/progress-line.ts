import type { JobQueueStatus } from "../../run-folder/jobs/job-queue-status.ts";
import type { CallCounts } from "../../run-folder/run/call-counts.ts";
import type { RunStatus } from "../../run-folder/run/run-status.ts";
import { formatDuration } from "../../text/format-duration.ts";

/** A status in one line: items, rate, time left, failures. */
export function progressLine(name: string, { items, itemsPerSecond, etaSeconds, jobs, calls }: RunStatus): string {
  const percent = items.total === 0 ? 100 : Math.floor((100 * items.done) / items.total);
  const parts = [`${name}: ${formatCount(items.done)}/${formatCount(items.total)} items (${percent} %)`];
  if (itemsPerSecond > 0) parts.push(`${formatCount(itemsPerSecond)} items/s`);
  if (etaSeconds !== undefined && items.done < items.total) parts.push(`${formatDuration(etaSeconds)} left`);
  if (calls !== undefined && items.done < items.total) parts.push(describeCalls(calls));
  if (items.dropped > 0) parts.push(`${formatCount(items.dropped)} dropped`);
  if (items.failed > 0) parts.push(`${formatCount(items.failed)} failed`);
  if (jobs !== undefined) parts.push(describeJobs(jobs));
  return parts.join(" | ");
}

/** How the jobs of a run stand, in words. */
export function describeJobs({ env, pending, running, lost, waitingFor, silence }: JobQueueStatus): string {
  const waiting = `${pending} pending${waitingFor === undefined ? "" : ` (${waitingFor})`}`;
  const counts = [waiting, `${running} running`, ...(lost > 0 ? [`${lost} lost`] : [])].join(", ");
  return `${env} jobs: ${counts}${silence === undefined ? "" : " (does not answer now)"}`;
}

/** What the calls of `forward` do, and what they wait for, in words. */
export function describeCalls({ inFlight, waitingForRate, waitingForRetry, retries }: CallCounts): string {
  return [
    `${formatCount(inFlight)} calls in flight`,
    ...(waitingForRate > 0 ? [`${formatCount(waitingForRate)} waiting for the rate limit`] : []),
    ...(waitingForRetry > 0 ? [`${formatCount(waitingForRetry)} waiting for a retry`] : []),
    ...(retries > 0 ? [`${formatCount(retries)} repeated`] : []),
  ].join(", ");
}

/** A number as people read it: 1,234. */
export function formatCount(value: number): string {
  return value < 10 && !Number.isInteger(value) ? value.toFixed(1) : Math.round(value).toLocaleString("en-US");
}
