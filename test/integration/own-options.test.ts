import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { OwnProvider, OwnRunner } from "../fixtures/runners/own-options.ts";
import { emptyFolder, makeProject } from "../support/cli/project.ts";

const envs = [
  ["local", 1],
  ["process", 2],
  ["thread", 2],
] as const;

describe.each(envs)("with env %s, the options that a runner adds", (env, nWorkers) => {
  let outputDir: string;
  let notes: string;
  beforeAll(() => {
    outputDir = emptyFolder();
    notes = join(emptyFolder(), "notes");
  });
  const common = () => ({ outputDir, progress: false, shards: 3, parallel: { env, nWorkers } });

  it("reach every hook, and merge", async () => {
    const runner = new OwnRunner(new OwnProvider({ notes }), {
      ...common(),
      factor: 3,
      file: "own.jsonl",
      kwargs: { offset: 1 },
    });
    const own = { factor: 3, file: "own.jsonl", kwargs: { offset: 1 } };
    expect(await runner.run([0, 1, 2, 3])).toEqual({ all: [1, 4, 7, 10], seen: own });
    const lines = readFileSync(notes, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([own, own, own]);
  });

  it("make another run where one changes, and the same where a default is spelt out", async () => {
    const again = (factor: number) =>
      new OwnRunner(new OwnProvider({ notes }), { ...common(), factor, file: "own.jsonl", kwargs: { offset: 1 } });
    await expect(again(4).run([0, 1, 2, 3])).rejects.toThrow("options.factor: 3 -> 4");
    expect((await again(3).resume()).all).toEqual([1, 4, 7, 10]);
  });

  it("are checked before anything is started", () => {
    const make = (options: object) => () =>
      new OwnRunner(new OwnProvider({ notes }), { ...common(), ...options } as never);
    expect(make({})).toThrow("OwnRunner needs the option factor: a number.");
    expect(make({ factor: 1, fiel: "x" })).toThrow('Option "fiel" is not known.\n  -> Did you mean file?');
  });
});

describe("the options that a runner adds, in a config", () => {
  const project = makeProject();
  const config = (runner: string) =>
    writeFileSync(
      project.path("own.yaml"),
      `provider: { _target_: "./own.js#OwnProvider" }\nrunner:\n  _target_: ./own.js#OwnRunner\n  output_dir: exp\n${runner}items: 3\n`,
    );
  beforeAll(() => {
    writeFileSync(
      project.path("own.js"),
      `import { BaseRunner, EnvironmentProvider, shape } from "millrace";
export class OwnProvider extends EnvironmentProvider { buildEnvLocal() { return {}; } }
export class OwnRunner extends BaseRunner {
  static ownOptions = { longName: { shape: shape.string() }, beam: { shape: shape.int({ min: 1 }), default: 4 } };
  static forward(idx, env, own) { return { idx, ...own }; }
}
`,
    );
  });

  it("are given in snake_case and reach the workers", async () => {
    config("  long_name: x\n  beam: null\n");
    const { status, stderr } = await project.run(
      "run",
      "own.yaml",
      "+parallel.env=process",
      "+runner.merge_files=true",
    );
    expect(stderr).not.toContain("->");
    expect(status).toBe(0);
    expect(readFileSync(project.path("exp/records.jsonl"), "utf8").split("\n")[2]).toBe(
      '{"idx":2,"longName":"x","beam":4}',
    );
    const planned = await project.run("plan", "own.yaml", "--count", "++runner.beam=5", "--json");
    expect(JSON.parse(planned.stdout)).toMatchObject({ changed: ["options.beam"] });
    rmSync(project.path("exp"), { recursive: true });
  });

  it.each([
    ["  beam: 0\n", /own\.yaml:5:3: runner\.beam is 0.*\nown\.yaml:2:1: runner\.long_name is missing/],
    ["  long_name: x\n  baem: 2\n", /own\.yaml:6:3: runner\.baem is not known.*\n {2}-> Did you mean beam\?/],
  ])("are refused with their line: %j", async (runner, message) => {
    config(runner);
    const { status, stderr } = await project.run("run", "own.yaml");
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
  });
});
