import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { makeProject } from "../support/cli/project.ts";

describe.concurrent("millrace run", () => {
  it("runs what init has made, and does nothing twice", async () => {
    const project = makeProject();
    const first = await project.run("run", "prep.yaml");
    expect(first).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("exp/prep: complete\n  items    200 of 200, 50 dropped"),
    });
    expect(project.text("exp/prep/records.jsonl").split("\n")[0]).toBe('{"utt_id":"utt1","text":"one more word"}');
    const done = project.text("exp/prep/split.0/done");
    expect((await project.run("run", "prep.yaml")).status).toBe(0);
    expect(project.text("exp/prep/split.0/done")).toBe(done);
  });

  it("takes overrides, and prints the status as JSON and nothing else", async () => {
    const project = makeProject();
    const { status, stdout, stderr } = await project.run(
      ...[
        "run",
        "job.yaml",
        "--json",
        "items=[3,4,9]",
        "says=true",
        "runner.output_dir=exp/other",
        "+runner.batch_size=null",
      ],
    );
    expect(JSON.parse(stdout)).toMatchObject({
      runDir: project.path("exp/other"),
      state: "complete",
      items: { total: 3, done: 3, written: 3, failed: 0 },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "at item 3\nat item 4\nat item 9\n" });
  });

  it.each([
    ["a range", "items={start: 4, stop: 10, step: 3}", [4, 7]],
    ["what a target returns", "items={_target_: ./jobs.js#someItems, count: 3}", [0, 2, 4]],
  ])("takes its items from %s", async (_from, override, items) => {
    const project = makeProject();
    await project.run("run", "job.yaml", override, "+runner.merge_files=true");
    const records = project.text("exp/job/records.jsonl").trim().split("\n");
    expect(records.map((line) => (JSON.parse(line) as { idx: number }).idx)).toEqual(items);
  });

  it("takes all of the dataset where the config names no items, without building the model", async () => {
    const project = makeProject();
    const { stdout } = await project.run(
      ...["plan", "prep.yaml", "--count", "~items", "--json", "dataset.sentences=7", "model=null"],
    );
    expect(JSON.parse(stdout)).toMatchObject({ items: 7 });
  });

  it.each(["local", "process", "thread"])(
    "lets a provider make the targets of its config, also one from an override, with env %s",
    async (env) => {
      const project = makeProject();
      writeFileSync(
        project.path("made.js"),
        `import { BaseRunner, instantiate } from "millrace";
import { JobProvider } from "./jobs.js";
export class MakingProvider extends JobProvider {
  static module = import.meta.url;
  async buildEnvLocal() {
    return { words: await instantiate(this.config.words), more: await instantiate(this.config.more) };
  }
}
export class MakingRunner extends BaseRunner {
  static module = import.meta.url;
  static forward(idx, { words, more }) {
    return { idx, word: words[idx], more: more[idx] };
  }
}
export const wordsOf = ({ text }) => text.split(" ");
`,
      );
      writeFileSync(
        project.path("made.yaml"),
        `provider: { _target_: ./made.js#MakingProvider }
runner: { _target_: ./made.js#MakingRunner, output_dir: exp/made, merge_files: true }
parallel: { env: ${env}, n_workers: ${env === "local" ? 1 : 2} }
items: 2
words: { _target_: ./made.js#wordsOf, text: one two }
`,
      );
      const words = ["run", "made.yaml", "+more={_target_: ./made.js#wordsOf, text: 'three four'}"];
      expect(await project.run(...words)).toMatchObject({ status: 0 });
      expect(project.text("exp/made/records.jsonl").trim().split("\n")).toEqual([
        '{"idx":0,"word":"one","more":"three"}',
        '{"idx":1,"word":"two","more":"four"}',
      ]);
      // A worker that joins later knows it from the run's folder alone.
      expect(await project.run("worker", "exp/made")).toMatchObject({ status: 0 });
    },
  );

  it("imports the setup file of the project first, for resolvers", async () => {
    const project = makeProject();
    const words = ["run", "job.yaml", "items=1", `+tag=\${shout:hello}`, `runner.output_dir=exp/\${tag}`];
    expect(await project.run(...words)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/there is no resolver shout.*\n.*millrace\.setup\.js/),
    });
    const setup = (text: string) => writeFileSync(project.path("millrace.setup.js"), text);
    setup('import { registerResolver } from "millrace";\nregisterResolver("shout", (text) => text.toUpperCase());\n');
    expect(await project.run(...words)).toMatchObject({ status: 0 });
    expect(project.names("exp")).toEqual(["HELLO"]);
    setup('throw new Error("not today");\n');
    expect(await project.run(...words)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/millrace\.setup\.js failed: not today\n {2}in millrace\.setup\.js:1:7\n {2}-> /),
    });
  });

  it("runs the first items alone, in a folder of their own", async () => {
    const project = makeProject();
    const { status, stdout } = await project.run("run", "job.yaml", "--limit", "3");
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("3 of 3") });
    expect(project.names("exp/job")).toEqual(["limit-3"]);
  });

  it("refuses a changed config, unless the change is accepted or all is begun again", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml");
    const refused = await project.run("run", "job.yaml", "says=true");
    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(/config\.says: false -> true\n.*--accept-change.*--restart/);
    expect((await project.run("run", "job.yaml", "says=true", "--accept-change")).stdout).not.toContain("at item");
    expect((await project.run("run", "job.yaml", "--restart", "says=true")).stdout).toContain("at item 19");
  });

  it("ends with 3 where items failed, with 1 where one failure stops the run, without a stack", async () => {
    const project = makeProject();
    const skipped = await project.run("run", "job.yaml", "fails=[2,5]");
    expect(skipped).toMatchObject({ status: 3, stdout: expect.stringContaining("20 of 20, 2 failed") });
    expect(skipped.stdout).toMatch(
      /^ {2}failed +millrace failures (\S+) shows why, millrace retry \1 runs them again$/m,
    );
    const stopped = await project.run("run", "job.yaml", "fails=[2,5]", "runner.on_error=fail", "--restart");
    expect(stopped.status).toBe(1);
    expect(stopped.stderr).toMatch(/^millrace: JobRunner\.forward failed at item 2: time is out at 2$/m);
    expect(stopped.stderr).not.toMatch(/^\s+at /m);
  });

  it("saves and leaves at Ctrl-C with 130, and continues when it is started again", async () => {
    const project = makeProject();
    const run = project.start(["run", "job.yaml", "items=2000", "slow_until=go", "says=true"]);
    await run.seen(/at item \d\d/);
    run.child.kill("SIGINT");
    const { status, stderr } = await run.ended;
    expect({ status, stderr }).toEqual({
      status: 130,
      stderr: expect.stringContaining("it continues where it was"),
    });
    project.touch("go");
    const again = await project.run("run", "job.yaml", "items=2000", "slow_until=go", "says=true");
    expect(again).toMatchObject({ status: 0, stdout: expect.stringContaining("2,000 of 2,000") });
    expect(again.stdout).not.toMatch(/^at item 0$/m);
  });

  it("ends although the user's code has left something open", async () => {
    const project = makeProject();
    expect((await project.run("run", "job.yaml", "provider._target_=./jobs.js#OpenProvider")).status).toBe(0);
  });

  it("has workers find a class that only the config knows the place of", async () => {
    const project = makeProject();
    const override = "runner._target_=./jobs.js#LostRunner";
    const { status, stdout } = await project.run("run", "job.yaml", override, "parallel.env=process");
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("20 of 20") });
  });

  it("loads TypeScript, here and in the workers", async () => {
    const project = makeProject();
    const text = 'import { BaseRunner } from "millrace";\nexport class Typed extends BaseRunner<object> {\n';
    writeFileSync(project.path("typed.ts"), `${text}  static forward = (idx: number): object => ({ idx });\n}\n`);
    const words = ["runner._target_=./typed.ts#Typed", "parallel.env=process"];
    expect((await project.run("run", "job.yaml", ...words)).stdout).toContain("20 of 20");
  });

  it("continues its work when its output is no longer read", async () => {
    const project = makeProject();
    const run = project.start(["run", "job.yaml", "says=true", "held=[10]", "held_until=go"]);
    await run.seen(/at item 3/);
    run.child.stdout!.destroy();
    project.touch("go");
    expect((await run.ended).status).toBe(0);
    expect(JSON.parse((await project.run("status", "exp/job", "--json")).stdout)).toMatchObject({ state: "complete" });
  });
});

describe.concurrent("millrace plan", () => {
  it("says what would run, and writes nothing", async () => {
    const project = makeProject();
    const before = spawnSync("find", [project.dir], { encoding: "utf8" }).stdout;
    const { status, stdout } = await project.run("plan", "prep.yaml", "+runner.batch_size=20");
    expect(status).toBe(0);
    expect(stdout).toBe(
      [
        `${project.path("exp/prep")}: new`,
        "  items    200 in 10 batches",
        "  shards   10",
        "  workers  2 (process)",
        "",
      ].join("\n"),
    );
    expect(spawnSync("find", [project.dir], { encoding: "utf8" }).stdout).toBe(before);
  });

  it("prints the script of a job that a scheduler would get, and calls no scheduler", async () => {
    const project = makeProject();
    const words = ["++parallel.env=slurm", "++parallel.n_workers=8", "++parallel.options={queue: gpu, processes: 2}"];
    const { status, stdout } = await project.run("plan", "job.yaml", ...words);
    expect(status).toBe(0);
    expect(stdout).toContain("  job      as follows\n");
    expect(stdout).toMatch(/^#SBATCH --array=0-1$/m);
    expect(stdout).toMatch(/^#SBATCH --partition=gpu$/m);
    expect(stdout).toMatch(/^exec .*job-process\.js .*exp\/job/m);
  });

  it("says that the jobs are submitted in several arrays, and prints the first", async () => {
    const project = makeProject();
    const words = ["++parallel.env=slurm", "++parallel.n_workers=4", "++parallel.options={max_array_size: 3}"];
    const { stdout } = await project.run("plan", "job.yaml", ...words);
    expect(stdout).toContain(
      "  job      as follows, and 1 more like it: an array holds 3 jobs at most, and 1 is left\n",
    );
    expect(stdout).toMatch(/^#SBATCH --array=0-2$/m);
    const { stdout: json } = await project.run("plan", "job.yaml", ...words, "--json");
    expect(JSON.parse(json)).toMatchObject({ submissions: [3, 1] });
  });

  it("prints the calls of ssh", async () => {
    const project = makeProject();
    const words = ["++parallel.env=ssh", "++parallel.n_workers=2", "++parallel.options={hosts: [n1, me@n2]}"];
    const { stdout } = await project.run("plan", "job.yaml", ...words);
    expect(stdout).toContain("  job      as follows, started by this command\n");
    expect(stdout).toMatch(/^ssh .*-- n1 'exec .*job-process\.js .*exp\/job .*'$/m);
    expect(stdout).toMatch(/^ssh .*-- me@n2 /m);
  });

  it("is JSON for programs, also of the first items", async () => {
    const project = makeProject();
    const { stdout } = await project.run("plan", "job.yaml", "--json", "--limit", "5");
    expect(JSON.parse(stdout)).toEqual({
      runDir: project.path("exp/job/limit-5"),
      isBegun: false,
      isComplete: false,
      done: 0,
      changed: [],
      code: null,
      items: 5,
      shards: 4,
      batches: 5,
      env: "local",
      workers: 1,
      jobScript: null,
      submissions: [],
    });
    expect(existsSync(project.path("exp"))).toBe(false);
  });

  it("says of a complete run that nothing is left, and shows no job for it", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml");
    const { stdout } = await project.run("plan", "job.yaml", "parallel.env=slurm");
    expect(stdout).toContain("exp/job: complete, all 20 items are done: nothing is left\n");
    expect(stdout).not.toMatch(/^ {2}job /m);
    expect(stdout).not.toContain("#SBATCH");
  });

  it("says what is done of a run, and that a change would be refused", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml");
    const { stdout } = await project.run("plan", "job.yaml", "--count", "says=true");
    expect(stdout).toContain("begun, 20 items are done");
    expect(stdout).toContain(
      "config.says: `millrace run` refuses this\n           without --accept-change or --restart",
    );
  });
});
