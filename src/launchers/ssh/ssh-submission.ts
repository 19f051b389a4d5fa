import type { Submission } from "../../store/job-records.ts";
import { newWorkerName } from "../../worker/session.ts";
import type { SshOptions } from "./ssh-options.ts";

/** A job on a host that is reached by ssh: no scheduler gives it a name or an end. */
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
  };
}
