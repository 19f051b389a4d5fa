import type { Submission } from "../../run-folder/jobs/job-records.ts";
import { describeCaller } from "../../run-folder/run/describe-caller.ts";
import { newWorkerName } from "../../worker/session.ts";
import type { SshOptions } from "./ssh-options.ts";

/** The record of a job on a host that is reached by ssh. */
export function newSshSubmission(host: string, { processes, threadsPerWorker, maxHeapMb }: SshOptions): Submission {
  const name = `ssh-${newWorkerName().slice(0, 6)}`;
  return {
    version: 1,
    name,
    id: name,
    host,
    env: "ssh",
    tasks: 1,
    processes,
    graceSeconds: 0,
    threadsPerWorker,
    maxHeapMb,
    by: describeCaller(),
  };
}
