// What the user's own lines and values may not undo.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ParallelEnv } from "../../../../src/config/parallel-envs.ts";
import { chooseScheduler } from "../../../../src/launchers/choose-scheduler.ts";
import { checkJobOptions } from "../../../../src/launchers/jobs/job-options.ts";
import type { Job } from "../../../../src/launchers/jobs/scheduler.ts";
import { sampleJob } from "../../../support/sample-jobs.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

function render(env: ParallelEnv, options: Readonly<Record<string, unknown>>, more: Partial<Job> = {}): string {
  const scheduler = chooseScheduler(env)!;
  const checked = checkJobOptions({ env, nWorkers: 1, options }, scheduler);
  return scheduler.render({ ...sampleJob(env, "plain"), ...more, options: checked });
}

describe("a node that is left out", () => {
  const excluded = ["bad1", "bad2"];
  const lastLine = (text: string, part: string) =>
    text
      .split("\n")
      .filter((line) => line.includes(part))
      .at(-1);

  it.each<[ParallelEnv, string, Readonly<Record<string, unknown>>, string]>([
    [
      "slurm",
      "--exclude",
      { job_extra_directives: ["--exclude=n[7-8],n4"] },
      '#SBATCH --exclude="n[7-8],n4,bad1,bad2"',
    ],
    [
      "slurm",
      "--exclude",
      { job_extra_directives: ["-x n3", "--mem=1G --exclude 'n7'"] },
      "#SBATCH --exclude=n7,bad1,bad2",
    ],
    ["slurm", "--exclude", { job_extra_directives: ["--exclusive"] }, "#SBATCH --exclude=bad1,bad2"],
    ["sge", "-l h=", { resource_spec: "gpu=1,h=fast*" }, "#$ -l h=(fast*)&!bad1&!bad2"],
    ["sge", "-l h=", { job_extra_directives: ['-l "hostname=a|b"', "-m n"] }, "#$ -l h=(a|b)&!bad1&!bad2"],
    ["sge", "-l h=", { resource_spec: "h_vmem=8G" }, "#$ -l h=!bad1&!bad2"],
    [
      "htcondor",
      "equirements",
      { job_extra_directives: ['Requirements = OpSys == "LINUX" || HasGpu'] },
      'requirements = (OpSys == "LINUX" || HasGpu) && (TARGET.Machine =!= "bad1") && (TARGET.Machine =!= "bad2")',
    ],
    [
      "oar",
      "-p ",
      { job_extra_directives: ["-p cluster='big'"] },
      "#OAR -p (cluster='big') AND (network_address NOT IN ('bad1','bad2'))",
    ],
    // LSF joins the conditions of several such lines itself.
    [
      "lsf",
      "hname",
      { job_extra_directives: ['-R "select[big]"'] },
      "#BSUB -R \"select[hname!='bad1' && hname!='bad2']\"",
    ],
  ])("of %s stays so beside the user's own %s: %j", (env, part, options, line) => {
    expect(lastLine(render(env, options, { excluded }), part)).toBe(line);
  });

  it("cannot be added to a file of the user's, which is refused at once", () => {
    expect(() => render("slurm", { job_extra_directives: ["--exclude=./nodes"] })).toThrow(/nodes in \.\/nodes/);
  });
});

describe("the number of a task of HTCondor", () => {
  it("is not lost with an environment of the user's", () => {
    const text = render("htcondor", { job_extra_directives: ['environment = "A=1"'] });
    expect(text.match(/^environment = .*/gm)).toEqual(['environment = "A=1"']);
    expect(text).toMatch(/^arguments = .*CONDOR_PROCESS=\\00440 .* \$\(Process\)"$/m);
  });

  it("comes with directives that are a mapping, as in dask-jobqueue", () => {
    const text = render("htcondor", { job_extra_directives: { "+Owner": '"me"', request_gpus: 2 } });
    expect(text).toMatch(/^\+Owner = "me"\nrequest_gpus = 2$/m);
    expect(() => render("htcondor", { job_extra_directives: { "a\nqueue 9": 1 } })).toThrow(/has the key/);
    expect(() => render("slurm", { job_extra_directives: { mem: 1 } })).toThrow(/a list of lines was expected/);
  });

  it.each(["$(Owner)", "group asr", 'a"b'])("and no group that is none: %s", (account) => {
    expect(() => render("htcondor", { account })).toThrow(/no accounting group/);
  });
});

describe("a value", () => {
  it("of Slurm is one word, whatever it contains", () => {
    expect(render("slurm", { job_cpu: "4 --exclusive" })).toContain('#SBATCH --cpus-per-task="4 --exclusive"\n');
  });

  it.each(["sge", "pbs", "lsf", "moab"] as const)("of %s is refused where it cannot be written as one word", (env) => {
    expect(render(env, { queue: "a b" })).toMatch(/^#\S+ -q "a b"$/m);
    for (const value of ['a" -l b "', "it's", "a\\"])
      for (const name of ["queue", "account"])
        expect(() => render(env, { [name]: value }), value).toThrow(/without quotes and backslashes/);
  });
});

describe("a shebang", () => {
  it.each(["sge", "pbs", "moab"] as const)("of %s is heeded although the scheduler ignores it", (env) => {
    expect(render(env, { shebang: "#!/bin/zsh" })).toContain(" -S /bin/zsh\n");
    expect(render(env, { shebang: "#!/usr/bin/env ksh" })).toContain(" -S /bin/ksh\n");
    for (const shebang of ["#!/bin/bash -l", "#! /usr/bin/env -S bash -l", "#!/usr/bin/env -u NONE bash -l"]) {
      const folder = temporaryFolder();
      const command = ["bash", "-c", 'echo "$NAME"; printf %s "$1"', "x", "it's\ntwo"];
      const log = join(folder, "job");
      const prologue = ["shopt -q login_shell && echo login", `NAME='"a  b"'\nexport NAME`];
      const text = render(env, { shebang, job_script_prologue: prologue }, { command, log });
      expect(text.split("\n")[0]).toBe(shebang);
      const file = join(folder, "script");
      writeFileSync(file, text);
      const path = / -S (\S+)$/m.exec(text)![1]!;
      const { status, stderr } = spawnSync(path, [file], {
        encoding: "utf8",
        env: { PATH: process.env["PATH"], HOME: folder },
      });
      expect({ status, stderr }, shebang).toEqual({ status: 0, stderr: "" });
      const task = chooseScheduler(env)!.firstTask === 1 ? -1 : 0;
      expect(readFileSync(`${log}.${task}.log`, "utf8")).toBe(`login\n"a  b"\nit's\ntwo`);
    }
  });

  it("is refused where it is none, and where there is no script", () => {
    for (const shebang of ["bash", "/bin/bash", "#!bash", "# !/bin/bash"])
      expect(() => render("slurm", { shebang }), shebang).toThrow(/the first line of a script was expected/);
    const basics = { image: "i", volume_claim: "v", mount_path: "/" };
    expect(() => render("kube", { ...basics, shebang: "#!/bin/zsh" })).toThrow(/shebang is not taken: the container/);
    expect(() => render("kube", { ...basics, job_directives_skip: ["-j"] })).toThrow(
      /job_directives_skip is not taken/,
    );
  });
});

describe("devices of Kubernetes", () => {
  const basics = { image: "i", volume_claim: "v", mount_path: "/" };
  const script = (options: Readonly<Record<string, unknown>>): string =>
    JSON.parse(render("kube", { ...basics, ...options })).spec.template.spec.containers[0].command[2].replaceAll(
      "$$",
      "$",
    );
  const masks = (options: Readonly<Record<string, unknown>>, environment: NodeJS.ProcessEnv) => {
    const log = join(temporaryFolder(), "job");
    spawnSync("sh", ["-c", script(options), log, "sh", "-c", "printenv CUDA_VISIBLE_DEVICES || echo unset"], {
      env: { PATH: process.env["PATH"], JOB_COMPLETION_INDEX: "0", ...environment },
    });
    return readFileSync(`${log}.0.log`, "utf8");
  };

  it("are named for the workers to share them, unless the user has named them", () => {
    expect(masks({ gpus: 3 }, {})).toBe("0,1,2\n");
    expect(masks({ gpus: 2 }, { CUDA_VISIBLE_DEVICES: "GPU-1" })).toBe("GPU-1\n");
    expect(masks({ gpus: 2 }, { CUDA_VISIBLE_DEVICES: "" })).toBe("\n");
    expect(masks({}, {})).toBe("unset\n");
  });
});
