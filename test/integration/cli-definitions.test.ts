// Runs of `defineRun` that a config names: the commands treat them as they treat classes.
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { makeProject, type Outcome, type Project } from "../support/cli/project.ts";

const runs = `
import { existsSync } from "node:fs";
import { defineRun, EnvironmentProvider, shape } from "millrace";

// The first definition of the module is another one than the config names.
export const others = defineRun(import.meta, { env: () => ({}), forward: () => "other" });

export const sums = defineRun(import.meta, {
  env: ({ words, fails_until }, { split }) => ({ dataset: words, split, fails_until }),
  batch: 2,
  options: { factor: { shape: shape.number(), default: 1 }, openAt: { shape: shape.optional(shape.string()) } },
  forward: (indices, { dataset, split, fails_until }, { options: { factor } }) => {
    if (indices.includes(3) && fails_until && !existsSync(fails_until)) throw new Error("3 is not ready");
    return indices.map((idx) => ({ idx, split, size: dataset[idx].length * factor, batch: indices.length }));
  },
});

export default defineRun(import.meta, { env: () => ({ dataset: [1, 2, 3] }), forward: (idx) => idx });
export const held = { inside: others };
export const words = ["a", "b"];
export const secret = "s3cret-value";
export const settings = { depth: 3 };
export class OwnProvider extends EnvironmentProvider {
  buildEnvLocal() { return {}; }
}
`;

const config = `words: [a, bb, ccc, dddd, eeeee, ffffff]
fails_until: null
provider:
  params:
    split: train
runner:
  _target_: ./runs.js#sums
  output_dir: exp/sums
  factor: 10
  on_error: skip
  shards: 2
parallel:
  env: local
  n_workers: 1
`;

function projectWithRuns(): Project {
  const project = makeProject();
  writeFileSync(project.path("runs.js"), runs);
  writeFileSync(project.path("sums.yaml"), config);
  return project;
}

const succeeded = ({ status, stderr }: Outcome) => expect([status, stderr]).toEqual([0, expect.any(String)]);
const records = (project: Project) =>
  project
    .text("exp/sums/records.jsonl")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { idx: number; split: string; size: number; batch: number });

describe.concurrent.each(["local", "process", "thread"])("a run of defineRun in a config, in env %s", (env) => {
  const parallel = [`parallel.env=${env}`, `parallel.n_workers=${env === "local" ? 1 : 2}`];

  it("is planned, run, shown, retried and merged", async () => {
    const project = projectWithRuns();
    const plan = await project.run("plan", "sums.yaml", "--count", "--json", ...parallel);
    expect(JSON.parse(plan.stdout)).toMatchObject({ items: 6, batches: 3, shards: 2, isBegun: false });
    const first = await project.run("run", "sums.yaml", "fails_until=ready", ...parallel);
    expect([first.status, first.stdout]).toEqual([3, expect.stringContaining("1 failed")]);
    const status = await project.run("status", "exp/sums", "--json");
    expect(JSON.parse(status.stdout)).toMatchObject({ items: { total: 6, written: 5, failed: 1 } });
    project.touch("ready");
    succeeded(await project.run("retry", "exp/sums"));
    succeeded(await project.run("merge", "exp/sums", "--files"));
    expect(records(project).map(({ idx, split, size }) => [idx, split, size])).toEqual(
      [1, 2, 3, 4, 5, 6].map((length, idx) => [idx, "train", length * 10]),
    );
    const again = await project.run("plan", "sums.yaml", "--count", "--json", "fails_until=ready", ...parallel);
    expect(JSON.parse(again.stdout)).toMatchObject({ isComplete: true, changed: [], code: null });
  });

  it("gets the batches of its definition, or those of the config", async () => {
    const project = projectWithRuns();
    succeeded(await project.run("run", "sums.yaml", "+runner.merge_files=true", ...parallel));
    expect(records(project).map(({ batch }) => batch)).toEqual([2, 2, 2, 2, 2, 2]);
    const words = ["+runner.merge_files=true", "+runner.batch_size=3", "--restart"];
    succeeded(await project.run("run", "sums.yaml", ...words, ...parallel));
    expect(records(project).map(({ batch }) => batch)).toEqual([3, 3, 3, 3, 3, 3]);
  });

  it("is joined by a worker", async () => {
    const project = projectWithRuns();
    writeFileSync(
      project.path("slow.js"),
      `import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineRun } from "millrace";
export const slow = defineRun(import.meta, {
  env: () => ({}),
  async forward(idx) {
    writeFileSync("at-" + idx, "");
    while (idx === 0 && !existsSync("go")) await sleep(10);
    return { idx };
  },
});
`,
    );
    writeFileSync(
      project.path("slow.yaml"),
      `runner: { _target_: "./slow.js#slow", output_dir: exp/slow, shards: 3 }\nitems: 3\nparallel: { env: ${env}, n_workers: 1 }\n`,
    );
    const driver = project.start(["run", "slow.yaml"]);
    while (!project.names("").includes("at-0")) await new Promise((resolve) => setTimeout(resolve, 20));
    const worker = project.start(["worker", "exp/slow"]);
    while (!project.names("exp/slow").includes("split.2")) await new Promise((resolve) => setTimeout(resolve, 20));
    project.touch("go");
    succeeded(await driver.ended);
    succeeded(await worker.ended);
    const status = await project.run("status", "exp/slow", "--json");
    expect(JSON.parse(status.stdout)).toMatchObject({ state: "complete", items: { total: 3, written: 3 } });
  });
});

describe.concurrent("a run of defineRun in a config", () => {
  it("needs no provider, and may be the default export", async () => {
    const project = projectWithRuns();
    const words = ["~provider", "~runner.factor", "runner._target_=./runs.js#default", "+runner.merge_files=true"];
    succeeded(await project.run("run", "sums.yaml", ...words));
    expect(project.text("exp/sums/records.jsonl")).toBe("0\n1\n2\n");
  });

  it("may be written in TypeScript", async () => {
    const project = projectWithRuns();
    const typed = runs.replace("export const words =", "export const words: readonly string[] =");
    writeFileSync(project.path("typed.ts"), typed);
    const words = ["runner._target_=./typed.ts#sums", "parallel.env=process", "+runner.merge_files=true"];
    succeeded(await project.run("run", "sums.yaml", ...words));
    expect(records(project)).toHaveLength(6);
  });

  it("is not run by a plan, which says that only the code knows its batches", async () => {
    const project = projectWithRuns();
    const { status, stdout } = await project.run("plan", "sums.yaml", "+items=6");
    expect([status, stdout]).toEqual([0, expect.stringContaining("6; how they are batched is in the code")]);
    const asJson = await project.run("plan", "sums.yaml", "+items=6", "--json");
    expect(JSON.parse(asJson.stdout)).toMatchObject({ items: 6, batches: null, shards: null });
  });

  it("may be named as its own provider too", async () => {
    const project = projectWithRuns();
    succeeded(await project.run("run", "sums.yaml", "+provider._target_=./runs.js#sums"));
  });

  it("lends its env to a class", async () => {
    const project = projectWithRuns();
    const words = ["+provider._target_=./runs.js#sums", "runner._target_=./jobs.js#JobRunner", "~runner.factor"];
    succeeded(await project.run("run", "sums.yaml", "parallel.env=process", ...words));
  });

  it.each([
    [["runner._target_=./runs.js#sum"], /has no export sum\.\n {2}-> Did you mean sums\?/],
    [["runner._target_=./runs.js#words"], /words is an array of 2, not a class or what defineRun returns/],
    [["runner._target_=./runs.js#settings"], /settings is an object, not a class or what defineRun returns/],
    [["runner._target_=./runs.js#secret"], /secret is a text, not a class or what defineRun returns/],
    [["runner._target_=./runs.js#held.inside"], /held\.inside is a Definition, not a class or what defineRun returns/],
    [
      ["+provider._target_=./runs.js#words", "runner._target_=./jobs.js#JobRunner", "~runner.factor"],
      /words is an array of 2, not a class or what defineRun returns/,
    ],
    [["runner._target_=./runs.js#OwnProvider", "~runner.factor", "~provider"], /provider is missing/],
    [["runner._target_=./jobs.js#JobRunner", "~runner.factor"], /provider\._target_ is missing; a text was expected/],
    [["+provider._target_=./runs.js#OwnProvider"], /#sums is a run of defineRun, which builds its env itself/],
    [["+runner.facotr=2"], /runner\.facotr is not known.*\n {2}-> Did you mean factor\?/],
    [["runner._target_=../runs.js#sums"], /outside of the project/],
  ])("is refused with what was found and what is expected: %j", async (words, message) => {
    const { status, stdout, stderr } = await projectWithRuns().run("run", "sums.yaml", ...words);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain("s3cret");
  });

  it("is refused with batches that its forward cannot take", async () => {
    const words = ["runner._target_=./runs.js#others", "~runner.factor", "+runner.batch_size=2"];
    const { status, stderr } = await projectWithRuns().run("run", "sums.yaml", "+items=3", ...words);
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/batchSize is given, but `forward` .* takes one index/),
    ]);
  });
});
