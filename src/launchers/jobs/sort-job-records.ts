import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import { type JobRecord, readJobRecords } from "../../run-folder/jobs/job-records.ts";
import type { Scheduler } from "./scheduler.ts";

type ValidRecord = Extract<JobRecord, { readonly problem?: undefined }>;

/** The scheduler of an env, among those that the caller knows. */
type SchedulerOf = (env: string) => Pick<Scheduler, "idPattern" | "title"> | undefined;

/** The records of a run, valid and invalid ones. */
export interface SortedRecords {
  readonly valid: readonly ValidRecord[];
  /** Why the others are invalid: a sentence each. */
  readonly problems: readonly string[];
}

const processNumber = /^\d{1,10}$/;
const localEnvs = ["local", "process", "thread", "local_gpu"];

/** Separates valid records from those that no driver can have written: other users may be able to write to the folder. */
export function sortJobRecords(paths: RunPaths, schedulerOf: SchedulerOf): SortedRecords {
  const valid: ValidRecord[] = [];
  const problems: string[] = [];
  for (const record of readJobRecords(paths)) {
    const problem = record.problem ?? problemOfId(record, schedulerOf);
    if (problem === undefined) valid.push(record as ValidRecord);
    else problems.push(`${record.file.replace(/\p{Cc}/gu, "?")} is ignored: ${problem}`);
  }
  return { valid, problems };
}

function problemOfId({ submission: { env, name, id } }: ValidRecord, schedulerOf: SchedulerOf): string | undefined {
  const scheduler = schedulerOf(env);
  if (scheduler === undefined && env !== "ssh" && !localEnvs.includes(env)) return `there is no env ${env}`;
  // A job over ssh has its name as its id.
  const isValid = id === undefined || (env === "ssh" ? id === name : (scheduler?.idPattern ?? processNumber).test(id));
  return isValid ? undefined : `its id is not one of ${scheduler?.title ?? env}`;
}
