import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Job as KubeJob } from "kubernetes-models/batch/v1/Job";
import { describe, expect, it } from "vitest";
import type { ParallelEnv } from "../../../../src/config/parallel-envs.ts";
import { chooseScheduler, schedulers } from "../../../../src/launchers/choose-scheduler.ts";
import type { Job } from "../../../../src/launchers/jobs/scheduler.ts";
import { hostileWords, sampleJob } from "../../../support/sample-jobs.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const golden = fileURLToPath(new URL("../../../golden/jobs/", import.meta.url));
const cases = schedulers.flatMap(({ env }) => (["plain", "full", "hostile"] as const).map((kind) => ({ env, kind })));

describe("job scripts", () => {
  it.each(cases)("of $env with $kind options are those that were agreed on", ({ env, kind }) => {
    const file = join(golden, `${env}-${kind}.txt`);
    const text = chooseScheduler(env)!.render(sampleJob(env, kind));
    // MILLRACE_GOLDEN=1 writes them again; the difference is for a person to read.
    if (process.env["MILLRACE_GOLDEN"] !== undefined) writeFileSync(file, text);
    expect(text).toBe(readFileSync(file, "utf8"));
  });

  it.each(schedulers.map(({ env }) => env))("of %s have no directive that came out of a word", (env) => {
    const text = chooseScheduler(env)!.render(sampleJob(env, "hostile"));
    expect(text).toContain("-q other");
    expect(text).not.toMatch(/^#.* other/m);
  });

  it.each(["plain", "full", "hostile"] as const)("of kube with %s options follow the published schema", (kind) => {
    const manifest = JSON.parse(chooseScheduler("kube")!.render(sampleJob("kube", kind)));
    expect(() => new KubeJob(manifest).validate()).not.toThrow();
    expect(() => new KubeJob({ ...manifest, spec: { ...manifest.spec, completions: "many" } }).validate()).toThrow();
  });
});

/** How a task of each scheduler starts what was submitted: program, words, and the variable with its number. */
const starts: Readonly<Partial<Record<ParallelEnv, (file: string, text: string) => string[]>>> = {
  htcondor: (_file, text) => condorCommand(text),
  kube: (_file, text) => kubeCommand(text),
};

describe("a hostile job", () => {
  it.each(schedulers.map(({ env }) => env))("of %s passes on every word unchanged and runs nothing else", (env) => {
    const folder = temporaryFolder();
    const scheduler = chooseScheduler(env)!;
    const logs = join(folder, hostileWords.filter((word) => word !== "" && !word.includes("/")).join(" "));
    mkdirSync(logs);
    const show = "console.log(JSON.stringify(process.argv.slice(1)))";
    const job: Job = {
      ...sampleJob(env, "hostile"),
      log: join(logs, "job"),
      command: [process.execPath, "-e", show, "--", ...hostileWords],
    };
    const text = scheduler.render(job);
    const file = join(folder, "job.sh");
    writeFileSync(file, text);
    const [program = "bash", ...words] = starts[env]?.(file, text) ?? ["bash", file];
    const index = String(scheduler.firstTask + 3);
    const { status, stdout, stderr } = spawnSync(program, words, {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: "/nowhere", [scheduler.taskVariable]: index },
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    // Slurm alone gets the path of the output, unless the path is such a one.
    expect(stdout).toBe("");
    expect(JSON.parse(readFileSync(join(logs, "job.3.log"), "utf8"))).toEqual(hostileWords);
    expect(readdirSync(folder).sort()).toEqual([logs.slice(folder.length + 1), "job.sh"].sort());
    expect(existsSync(join(logs, "pwned"))).toBe(false);
  });
});

/** What HTCondor starts, after its own rules: macros are expanded, then quotes of the newer syntax are taken away. */
function condorCommand(text: string): string[] {
  const value = (name: string) => new RegExp(`^${name} = (.*)$`, "m").exec(text)![1]!;
  expect(text.replace(' $(Process)"\n', "")).not.toContain("$");
  const quoted = /^"(.*)"$/.exec(value("arguments").replace("$(Process)", "3"))![1]!.replaceAll('""', '"');
  const words = quoted.match(/(?:[^\s']|'(?:[^']|'')*')+/g)!;
  return [
    value("executable"),
    ...words.map((word) => word.replace(/'((?:[^']|'')*)'/g, (_, in_) => in_.replaceAll("''", "'"))),
  ];
}

/** What a kubelet starts: $$ is a dollar, $(NAME) a variable if there is one. */
function kubeCommand(text: string): string[] {
  const { command } = JSON.parse(text).spec.template.spec.containers[0] as { command: string[] };
  const variables: Record<string, string> = { JOB_COMPLETION_INDEX: "3", HOME: "/nowhere" };
  return command.map((word) =>
    word.replace(/\$\$|\$\(([^)]*)\)/g, (whole, name) => (whole === "$$" ? "$" : (variables[name] ?? whole))),
  );
}
