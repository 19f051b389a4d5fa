import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import { type JobRecord, readJobRecords } from "../../run-folder/jobs/job-records.ts";
import type { Scheduler } from "./scheduler.ts";

type SoundRecord = Extract<JobRecord, { readonly problem?: undefined }>;

/** The scheduler of an env, among those that the caller knows. */
type SchedulerOf = (env: string) => Pick<Scheduler, "idPattern" | "title"> | undefined;

/** The records of a run, valid and invalid ones. */
export interface SortedRecords {
  readonly sound: readonly SoundRecord[];
  /** What is wrong with the invalid ones: one sentence each. */
  readonly problems: readonly string[];
}

const processNumber = /^\d{1,10}$/;
const localEnvs = ["local", "process", "thread", "local_gpu"];

/** Separates records that no driver can have written: other users may be able to write to the folder. */
export function sortJobRecords(paths: RunPaths, schedulerOf: SchedulerOf): SortedRecords {
  const sound: SoundRecord[] = [];
  const problems: string[] = [];
  for (const record of readJobRecords(paths)) {
    const problem = record.problem ?? problemOfId(record, schedulerOf);
    if (problem === undefined) sound.push(record as SoundRecord);
    else problems.push(`${record.file.replace(/\p{Cc}/gu, "?")} is ignored: ${problem}`);
  }
  return { sound, problems };
}

function problemOfId({ submission: { env, name, id } }: SoundRecord, schedulerOf: SchedulerOf): string | undefined {
  const scheduler = schedulerOf(env);
  if (scheduler === undefined && env !== "ssh" && !localEnvs.includes(env)) return `there is no env ${env}`;
  // A job over ssh has its name as its id.
  const isSound = id === undefined || (env === "ssh" ? id === name : (scheduler?.idPattern ?? processNumber).test(id));
  return isSound ? undefined : `its id is not one of ${scheduler?.title ?? env}`;
}
