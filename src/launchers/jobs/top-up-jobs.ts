import type { Submission } from "../../run-folder/jobs/job-records.ts";
import { sleep } from "../../runtime/sleep.ts";
import type { JobQueue } from "./job-queue.ts";
import type { JobWatch } from "./watch-jobs.ts";

// Consecutive reports required before a task counts as ended.
const maxCalls = 3;
const callEveryMs = 250;

/** Submits jobs until `needed` are live. Jobs of earlier drivers count. */
export async function topUpJobs(
  { queue, watch }: { readonly queue: JobQueue; readonly watch: JobWatch },
  needed: number,
): Promise<Submission[]> {
  watch.add(await queue.inherited());
  for (let calls = 0; calls < maxCalls && watch.submissions.length > 0; calls++) {
    await watch.look();
    if (!watch.isInDoubt()) break;
    await sleep(callEveryMs);
  }
  const { pending, running } = watch.counts();
  const missing = needed - pending - running;
  if (missing > 0) watch.add(await queue.submit(missing));
  return watch.living();
}
