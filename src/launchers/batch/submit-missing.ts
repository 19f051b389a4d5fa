import { sleep } from "../../shared/sleep.ts";
import type { Submission } from "../../store/job-records.ts";
import type { JobQueue } from "./job-queue.ts";
import type { JobWatch } from "./watch-jobs.ts";

// An end is believed when it was told so often.
const mostLooks = 3;
const lookAgainMs = 250;

/** Brings the jobs of a run to so many. Those that an earlier driver has left at work count. */
export async function submitMissing(
  { queue, watch }: { readonly queue: JobQueue; readonly watch: JobWatch },
  needed: number,
): Promise<Submission[]> {
  watch.add(await queue.inherited());
  for (let looks = 0; looks < mostLooks && watch.submissions.length > 0; looks++) {
    await watch.look();
    if (!watch.isInDoubt()) break;
    await sleep(lookAgainMs);
  }
  const { pending, running } = watch.counts();
  const missing = needed - pending - running;
  if (missing > 0) watch.add(await queue.submit(missing));
  return watch.living();
}
