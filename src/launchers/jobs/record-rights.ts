import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import { type Submission, whySubmissionNotOwned } from "../../run-folder/jobs/job-records.ts";
import { shellWord } from "../../text/shell-word.ts";
import type { JobOptions } from "./job-options.ts";

/** How the jobs of a run are opened. */
export interface QueueUse {
  /** Nothing is written or cancelled. */
  readonly isReadOnly?: boolean;
}

/** What the caller may do with records of submissions. */
export interface RecordRights {
  /** Notes that this process made it: then it is the caller's, even if the file system shows another owner. */
  noteMade(name: string): void;
  isOwned(submission: Submission): boolean;
  /** Why the caller must not cancel it, as the end of a sentence that begins with "its record". */
  whyNotOwned(submission: Submission): string | undefined;
  /** Why the scheduler is not asked for it. */
  whyNotAsked(submission: Submission): string | undefined;
}

/** Only the owner of a record may act on it: other users may be able to write to the run folder. */
export function recordRights(
  paths: RunPaths,
  { isReadOnly, options }: { readonly isReadOnly: boolean; readonly options: Pick<JobOptions, "schedulerOptions"> },
): RecordRights {
  const made = new Set<string>();
  const whyNotOwned = (submission: Submission) =>
    made.has(submission.name) ? undefined : whySubmissionNotOwned(paths, submission, { mayWrite: !isReadOnly });
  return {
    noteMade: (name) => void made.add(name),
    isOwned: (submission) => whyNotOwned(submission) === undefined,
    whyNotOwned,
    // Where to ask is an option of the scheduler's programs, so only the caller may choose it.
    whyNotAsked(submission) {
      const { own: placeOptions = {} } = submission;
      const isCallers = ([key, value]: [string, unknown]) =>
        JSON.stringify(options.schedulerOptions[key]) === JSON.stringify(value);
      const why = Object.entries(placeOptions).every(isCallers) ? undefined : whyNotOwned(submission);
      return why === undefined
        ? undefined
        : `it ${why}, and says where to ask: ${Object.keys(placeOptions).join(", ")}`;
    },
  };
}

/** A message that a submission is not cancelled, why, and who can cancel it. */
export function describeForeign(runDir: string, { name, id, by }: Submission, why: string): string {
  const known = [id, by].filter((part) => part !== undefined).join(", by ");
  const job = known === "" ? name : `${name} (${known})`;
  return `the job ${job} is not cancelled, as its record ${why}; its user can, with millrace cancel ${shellWord(runDir)}`;
}
