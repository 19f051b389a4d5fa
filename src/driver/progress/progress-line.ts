import type { JobQueueStatus } from "../../run-folder/jobs/job-queue-status.ts";
import type { RunStatus } from "../../run-folder/run/run-status.ts";

/** A status in one line: items, rate, time left, failures. */
export function progressLine(name: string, { items, itemsPerSecond, etaSeconds, jobs }: RunStatus): string {
  const percent = items.total === 0 ? 100 : Math.floor((100 * items.done) / items.total);
  const parts = [`${name}: ${formatCount(items.done)}/${formatCount(items.total)} items (${percent} %)`];
  if (itemsPerSecond > 0) parts.push(`${formatCount(itemsPerSecond)} items/s`);
  if (etaSeconds !== undefined && items.done < items.total) parts.push(`${formatDuration(etaSeconds)} left`);
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

/** A number as people read it: 1,234. */
export function formatCount(value: number): string {
  return value < 10 && !Number.isInteger(value) ? value.toFixed(1) : Math.round(value).toLocaleString("en-US");
}

/** Seconds as h:mm:ss or m:ss. */
export function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds);
  const two = (value: number) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}
