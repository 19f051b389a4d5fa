import { runPaths } from "../../run-folder/files/run-paths.ts";
import { shellWord } from "../../text/shell-word.ts";
import { driveJobs } from "../jobs/drive-jobs.ts";
import { jobsFor } from "../jobs/job-options.ts";
import type { QueuedLauncher } from "../launcher.ts";
import { sshCall } from "./ssh-call.ts";
import { checkSshOptions } from "./ssh-options.ts";
import { openSshQueue } from "./ssh-queue.ts";
import { newSshSubmission } from "./ssh-submission.ts";
import { submitOverSsh } from "./submit-over-ssh.ts";

/** `env: ssh`: workers on hosts that are reached by ssh and see the run folder under the same path. */
export const sshLauncher: QueuedLauncher = {
  kind: "queued",
  env: "ssh",
  outlivesDriver: false,
  check: (parallel) => void checkSshOptions(parallel),
  describe({ runDir, parallel, pending }) {
    const options = checkSshOptions(parallel);
    const tasks = Array.from({ length: jobsFor(Math.min(parallel.nWorkers, pending), options) }, () => 1);
    const calls = tasks.map((_, i) => {
      const host = options.hosts[i % options.hosts.length]!;
      return sshCall(host, options, {
        runDir: runPaths(runDir).root,
        name: newSshSubmission(host, options).name,
        task: 0,
      });
    });
    return {
      text: calls.map(({ program, args }) => `${[program, ...args].map(shellWord).join(" ")}\n`).join(""),
      tasks,
    };
  },
  drive(request) {
    const options = checkSshOptions(request.parallel);
    const queue = openSshQueue(runPaths(request.runDir), options);
    const site = { env: "ssh", title: "ssh", canExclude: true, outlivesDriver: false } as const;
    return driveJobs(request, { site, queue, options });
  },
  submit: submitOverSsh,
};
