import { describe, expect, it } from "vitest";
import { checkJobOptions } from "../../../../src/launchers/jobs/job-options.ts";
import type { Job } from "../../../../src/launchers/jobs/scheduler.ts";
import { slurm } from "../../../../src/launchers/schedulers/slurm.ts";

function newJob(options: Readonly<Record<string, unknown>> = {}, more: Partial<Job> = {}): Job {
  return {
    name: "millrace-abc123",
    tasks: 4,
    options: checkJobOptions({ env: "slurm", nWorkers: 1, options: { node: "/usr/bin/node", ...options } }, slurm),
    command: ["/usr/bin/node", "/opt/millrace/job-process.js", "/data/exp one/it's", "millrace-abc123"],
    log: "/data/logs/job-millrace-abc123",
    excluded: [],
    ...more,
  };
}

describe("a job script for Slurm", () => {
  it("says what the options say", () => {
    const options = {
      queue: "gpu",
      account: "speech",
      cores: 8,
      memory: "32GiB",
      walltime: "1-02:03:04",
      grace: 120,
      job_extra_directives: ["--gres=gpu:2"],
      job_script_prologue: ["module load node", "export A='b c'"],
    };
    expect(slurm.render(newJob(options, { excluded: ["n2", "n7"] }))).toBe(`#!/usr/bin/env bash
#SBATCH --job-name=millrace-abc123
#SBATCH --array=0-3
#SBATCH --partition=gpu
#SBATCH --account=speech
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
#SBATCH --mem=32768M
#SBATCH --time=26:03:04
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=/data/logs/job-millrace-abc123.%a.log
#SBATCH --gres=gpu:2
#SBATCH --exclude=n2,n7

module load node
export A='b c'
exec /usr/bin/node /opt/millrace/job-process.js '/data/exp one/it'\\''s' millrace-abc123
`);
  });

  it("leaves out what is to be skipped", () => {
    const script = slurm.render(newJob({ job_directives_skip: ["--requeue", "--ntasks"], shebang: "#!/bin/sh" }));
    expect(script).toMatch(/^#!\/bin\/sh\n/);
    expect(script).not.toMatch(/--requeue|--ntasks/);
  });

  it("sends its output to a file that Slurm could not name", () => {
    const script = slurm.render(newJob({}, { log: "/data/50% of\n$HOME/job" }));
    expect(script).toContain("#SBATCH --output=/dev/null\n");
    expect(script).toContain("exec >>'/data/50% of'\"$line_break\"'$HOME/job.'$SLURM_ARRAY_TASK_ID.log 2>&1\n");
  });

  it("keeps a value with blanks and quotes in one piece", () => {
    expect(slurm.render(newJob({ queue: 'a "b" \\c' }))).toContain('#SBATCH --partition="a \\"b\\" \\\\c"\n');
  });
});

describe("an answer of Slurm", () => {
  it("to a submission holds its id", () => {
    expect(slurm.parseSubmitted("17\n")).toBe("17");
    expect(slurm.parseSubmitted("17;cluster\n")).toBe("17");
    expect(slurm.parseSubmitted("sbatch: a remark\n17\n")).toBe("17");
    expect(slurm.parseSubmitted("Submitted\n")).toBeUndefined();
  });

  it("to the question for all tasks is a line a task; unknown states are unknown", () => {
    const answer = [
      "7|4|PENDING||Nodes required | are DOWN",
      "7|0|RUNNING|n1|None",
      "7|1|COMPLETING|n1|None",
      "7|2|NODE_FAIL|n2|NodeDown",
      "7|3|BEWITCHED|n2|None",
      "9|N/A|RUNNING|n2|None",
      "",
    ];
    expect(slurm.parseStatus(answer.join("\n"))).toEqual([
      { id: "7", task: 4, state: "pending", detail: "PENDING (Nodes required | are DOWN)", node: undefined },
      { id: "7", task: 0, state: "running", detail: "RUNNING", node: "n1" },
      { id: "7", task: 1, state: "running", detail: "COMPLETING", node: "n1" },
      { id: "7", task: 2, state: "evicted", detail: "NODE_FAIL (NodeDown)", node: "n2" },
      { id: "7", task: 3, state: "unknown", detail: "BEWITCHED", node: "n2" },
    ]);
    expect(slurm.isGone?.("slurm_load_jobs error: Invalid job id specified")).toBe(true);
    expect(slurm.isGone?.("Unable to contact slurm controller (connect failure)")).toBe(false);
  });

  it("to the search for a name is its id", () => {
    expect(slurm.parseFound("12|millrace-abc\n13|millrace-abcd\n", "millrace-abcd")).toBe("13");
    expect(slurm.parseFound("", "millrace-abcd")).toBeUndefined();
  });

  it("reports the limit of an array", () => {
    expect(slurm.arrayLimit?.parse("MaxArraySize            = 1001\nMaxJobCount = 10000")).toBe(1001);
    expect(slurm.arrayLimit?.parse("nothing")).toBeUndefined();
  });
});

describe("a task of an array on Slurm", () => {
  const moment = { environment: {}, nowMs: 0 };
  const environment = { SLURM_JOB_ID: "15", SLURM_ARRAY_JOB_ID: "15", SLURM_ARRAY_TASK_ID: "9" };

  it("asks for its own time: the last one has the number of the whole array", () => {
    expect(slurm.timeLeft?.ask(environment)?.args).toContain("--jobs=15_9");
    expect(slurm.timeLeft?.parse("1-00:00:10\n", moment)).toBe(86_410);
    expect(slurm.timeLeft?.parse("UNLIMITED\n", moment)).toBeUndefined();
    expect(slurm.timeLeft?.ask({})).toBeUndefined();
  });

  it("queues itself alone", () => {
    expect(slurm.requeue?.(environment)).toEqual({ call: { program: "scontrol", args: ["requeue", "15_9"] } });
    expect(slurm.requeue?.({ SLURM_JOB_ID: "3" })).toEqual({ call: { program: "scontrol", args: ["requeue", "3"] } });
    expect(slurm.requeue?.({})).toBeUndefined();
  });
});
