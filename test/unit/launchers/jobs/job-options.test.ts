import { describe, expect, it } from "vitest";
import type { ParallelEnv } from "../../../../src/config/parallel-envs.ts";
import { checkJobOptions, jobsFor } from "../../../../src/launchers/jobs/job-options.ts";
import { checkSshOptions } from "../../../../src/launchers/ssh/ssh-options.ts";

function check(options: Readonly<Record<string, unknown>>, env: ParallelEnv = "slurm") {
  return checkJobOptions({ env, nWorkers: 1, options }, { optionNames: ["job_cpu"] });
}

function refusal(options: Readonly<Record<string, unknown>>, env?: ParallelEnv): string {
  try {
    check(options, env);
  } catch (error) {
    expect(error).toMatchObject({ name: "MillraceError", code: "BAD_OPTION" });
    return (error as Error).message;
  }
  throw new Error(`${JSON.stringify(options)} was taken`);
}

describe("options of a job", () => {
  it("have defaults", () => {
    expect(check({})).toMatchObject({
      jobName: "millrace",
      processes: 1,
      shebang: "#!/usr/bin/env bash",
      node: process.execPath,
      submitTimeoutSeconds: 60,
      pollSeconds: 30,
      graceSeconds: 60,
      prologue: [],
      schedulerOptions: {},
    });
  });

  it("are read by dask-jobqueue's names", () => {
    const options = check({
      queue: "gpu",
      project: "speech",
      cores: 8,
      processes: 4,
      memory: "32GB",
      walltime: "04:00:00",
      job_extra_directives: ["--gres=gpu:4"],
      job_directives_skip: "--mem",
      job_script_prologue: ["module load node", "export A=1\nexport B=2"],
      log_directory: "logs",
      job_cpu: 2,
    });
    expect(options).toMatchObject({
      queue: "gpu",
      account: "speech",
      cores: 8,
      processes: 4,
      memoryBytes: 32e9,
      walltimeSeconds: 14_400,
      extraDirectives: ["--gres=gpu:4"],
      skippedDirectives: ["--mem"],
      prologue: ["module load node", "export A=1\nexport B=2"],
      logDirectory: "logs",
      schedulerOptions: { job_cpu: 2 },
    });
  });

  it("give up a quarter of a short walltime at most for the end", () => {
    expect(check({ walltime: "00:01:00" }).graceSeconds).toBe(15);
    expect(check({ walltime: "00:01:00", grace: 5 }).graceSeconds).toBe(5);
    expect(check({ walltime: "10:00:00", grace: 300 }).graceSeconds).toBe(300);
  });

  it("take a walltime that YAML has made a number of seconds", () => {
    expect(check({ walltime: 43_200 }).walltimeSeconds).toBe(43_200);
  });

  it("count two numbers as hours and minutes where the scheduler counts in minutes", () => {
    expect(check({ walltime: "1:30" }, "lsf").walltimeSeconds).toBe(5400);
    expect(check({ walltime: "1:30" }).walltimeSeconds).toBe(90);
  });

  it.each([
    ["nanny", "every worker is watched"],
    ["interface", "no network to set up"],
    ["protocol", "no network to set up"],
    ["security", "no network to set up"],
    ["scheduler_options", "no network to set up"],
    ["host", "no network to set up"],
    ["dashboard_address", "no network to set up"],
    ["scheduler_cls", "no network to set up"],
    ["worker_class", "the class of the runner"],
    ["shared_temp_directory", "no network to set up"],
    ["death_timeout", "leaseTtl"],
    ["python", "`node`"],
    ["worker_command", "job_script_prologue"],
    ["worker_extra_args", "from the runner"],
    ["extra", "from the runner"],
    ["env_extra", "job_script_prologue"],
    ["job_extra", "job_extra_directives"],
    ["header_skip", "job_directives_skip"],
    ["local_directory", "the run folder only"],
    ["asynchronous", "asyncMode"],
    ["config_name", "parallel.options"],
    ["silence_logs", "millrace logs"],
    ["n_workers", "parallel.n_workers"],
    ["partition", "it is called queue.*Write queue instead"],
    ["time", "it is called walltime"],
    ["mem", "it is called memory"],
    ["cpus_per_task", "it is called cores"],
  ])("refuse %s, with the reason", (name, why) => {
    expect(refusal({ [name]: 1 })).toMatch(new RegExp(`^parallel\\.options\\.${name} is not taken: .*${why}`, "s"));
  });

  it("name the nearest of those that are known", () => {
    expect(refusal({ wall_time: "1h" })).toMatch(/"wall_time" is not known to env slurm.*Did you mean walltime\?/s);
  });

  it("name an option for a misspelt word of the scheduler's own", () => {
    expect(refusal({ partitionn: "gpu" })).toMatch(/"partitionn" is not known to env slurm.*Did you mean queue\?/s);
  });

  it("are refused all at once, each once", () => {
    const options = { waltime: "1:00:00", cores: "two", walltime: "soon", queue: null, job_cpu: [[1]], nanny: 1 };
    const lines = refusal(options).split("\n");
    expect(lines).toEqual([
      expect.stringMatching(/^parallel\.options: "waltime" is not known to env slurm\. Did you mean walltime\?/),
      expect.stringMatching(/^parallel\.options\.cores is "two"; a whole number from 1 was expected\. Write/),
      expect.stringMatching(/^parallel\.options\.walltime is "soon"\. Write it like/),
      expect.stringMatching(/^parallel\.options\.queue is empty\. Leave it out/),
      expect.stringMatching(/^parallel\.options\.job_cpu holds/),
      expect.stringMatching(/^parallel\.options\.nanny is not taken: .* Remove it/),
      expect.stringMatching(/^ {2}-> Each line names one/),
      expect.stringMatching(/explain BAD_OPTION/),
    ]);
  });

  it("are an option of the scheduler's own where it has one of another's name", () => {
    const options = { mem: 5 };
    expect(checkJobOptions({ env: "lsf", nWorkers: 1, options }, { optionNames: ["mem"] }).schedulerOptions).toEqual(
      options,
    );
  });

  it.each<[Record<string, unknown>, string]>([
    [{ cores: 0 }, "a whole number from 1"],
    [{ processes: 1.5 }, "a whole number from 1"],
    [{ resubmits: -1 }, "a whole number from 0"],
    [{ submit_timeout: 0 }, "a number of seconds"],
    [{ poll_interval: "1" }, "a number of seconds"],
    [{ queue: "a\nb" }, "a text of one line"],
    [{ account: "" }, "a text of one line"],
    [{ log_directory: "a\0b" }, "a text of one line"],
    [{ job_extra_directives: ["--mem=1\n#SBATCH --wrap=x"] }, "a list of lines"],
    [{ job_extra_directives: [7] }, "a list of lines"],
    [{ job_script_prologue: "a\0" }, "a list of lines"],
    [{ memory: "lots" }, "Write it like 32GB"],
    [{ memory: 0 }, "Write it like 32GB"],
    [{ walltime: "soon" }, 'like "04:00:00"'],
    [{ walltime: 0 }, 'like "04:00:00"'],
    [{ walltime: "90" }, 'like "04:00:00"'],
    [{ account: "a", project: "b" }, "they mean the same"],
    [{ job_directives_skip: [""] }, "in every directive"],
    [{ job_directives_skip: ["--mem", "-"] }, "in every directive"],
    [{ shebang: "bash" }, "the first line of a script"],
    [{ job_name: "9lives" }, "up to 8 letters"],
    [{ job_name: "much-too-long" }, "up to 8 letters"],
    [{ job_cpu: [["2"]] }, "a list of lines"],
    [{ queue: null }, "is empty"],
  ])("refuse %j", (options, why) => {
    expect(refusal(options)).toContain(why);
  });

  it("take the same name twice for one", () => {
    expect(check({ account: "a", project: "a" }).account).toBe("a");
  });

  it("refuse a number as the walltime where the scheduler counts in minutes", () => {
    expect(refusal({ walltime: 90 }, "lsf")).toContain("walltime");
  });
});

it("what ssh does not take is refused with the same reasons, unless they are about a script", () => {
  const take = (options: Readonly<Record<string, unknown>>) => () =>
    checkSshOptions({ env: "ssh", nWorkers: 1, options: { hosts: ["a"], ...options } });
  expect(take({ nanny: true })).toThrow(/nanny is not taken: every worker is watched/);
  expect(take({ env_extra: [] })).toThrow(/"env_extra" is not known to env ssh/);
});

it("as many jobs as hold the workers", () => {
  expect([1, 4, 5, 8].map((workers) => jobsFor(workers, { processes: 4 }))).toEqual([1, 1, 2, 2]);
});
