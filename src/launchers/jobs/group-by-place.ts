import type { Submission } from "../../run-folder/jobs/job-records.ts";
import type { SchedulerOptions } from "./scheduler.ts";

/** Groups submissions that one call can reach. A run that was moved may have submissions at several places. */
export function groupByPlace(
  submissions: readonly Submission[],
  placeOptionsOf: (submission: Submission) => SchedulerOptions,
): Submission[][] {
  const byPlace = new Map<string, Submission[]>();
  for (const submission of submissions) {
    const place = JSON.stringify(placeOptionsOf(submission));
    byPlace.set(place, [...(byPlace.get(place) ?? []), submission]);
  }
  return [...byPlace.values()];
}
