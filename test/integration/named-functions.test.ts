// Functions in params, and which worker user code runs in.
import { writeFileSync } from "node:fs";
import { currentWorker, type ParallelInput, range } from "millrace";
import { describe, expect, it } from "vitest";
import { dropShort, hiddenFunction, TextProvider, TextRunner } from "../fixtures/runners/named-functions.ts";
import { makeProject } from "../support/cli/project.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const several: readonly ParallelInput[] = [
  { env: "process", n_workers: 2 },
  { env: "thread", n_workers: 2 },
  { env: "local", n_workers: 2 },
];

function run(parallel: ParallelInput, cleaner: (text: string) => string | null = dropShort) {
  const options = { outputDir: temporaryFolder(), progress: false, shards: 6, parallel };
  return new TextRunner(new TextProvider({}, { cleaner }), options).run(range(12));
}

describe.each([{ env: "local" }, ...several] as readonly ParallelInput[])("with %o", (parallel) => {
  it("a function that names its module reaches forward", async () => {
    const records = await run(parallel);
    expect(records.map(({ text }) => text.length)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });
});

describe.each(several)("with %o", (parallel) => {
  it("forward and the provider know which worker they are in", async () => {
    for (const { inForward, inProvider } of await run(parallel)) {
      expect(inProvider).toEqual(inForward);
      expect(inForward.workers).toBe(2);
      expect([0, 1]).toContain(inForward.worker);
    }
  });

  it("a function without a module is refused by its place, with what to write", async () => {
    await expect(run(parallel, (text) => text)).rejects.toMatchObject({
      code: "BAD_PROVIDER",
      message: expect.stringMatching(/^params\.cleaner of TextProvider is .*function/),
      hint: expect.stringContaining("defineFunction(import.meta"),
    });
  });
});

describe("a function that is not exported under its name", () => {
  it("is an error that says how to export it", async () => {
    // An export under another name is not found by its name.
    Object.defineProperty(hiddenFunction, "name", { value: "secretly" });
    await expect(run({ env: "process", n_workers: 2 }, hiddenFunction)).rejects.toThrow(
      /named-functions\.ts does not export a function secretly\.[\s\S]*Write `export function secretly`/,
    );
  });
});

describe("in one process", () => {
  it("a function without a module works, and there is one worker, which is this process", async () => {
    // Only this process can count in this variable.
    let calls = 0;
    const records = await run({ env: "local", n_workers: 1 }, (text) => {
      calls++;
      return text;
    });
    expect([records.length, calls]).toEqual([12, 12]);
    expect(records[0]).toMatchObject({ inForward: { worker: 0, workers: 1 }, inProvider: { worker: 0, workers: 1 } });
    expect(currentWorker()).toEqual({ worker: 0, workers: 1 });
  });
});

describe("a cleaner that a config names as a target", () => {
  const code = `
import { BaseRunner, InferenceProvider } from "millrace";
export const makeCleaner = ({ min }) => (text) => (text.length < min ? null : text);
export class Texts extends InferenceProvider {
  static buildDataset() { return ["a", "bb", "ccc", "dddd"]; }
  static buildModel() { return null; }
}
export class Clean extends BaseRunner {
  static forward(idx, { dataset, cleaner }) { return cleaner(dataset[idx]); }
}
`;
  const config = `
provider:
  _target_: ./clean.js#Texts
  params:
    cleaner: { _target_: "./clean.js#makeCleaner", min: 3 }
runner:
  _target_: ./clean.js#Clean
  output_dir: exp/clean
  merge_files: true
`;

  it.each(["local", "process", "thread"])("is made in each worker, env %s", async (env) => {
    const project = makeProject();
    writeFileSync(project.path("clean.js"), code);
    writeFileSync(project.path("clean.yaml"), config);
    expect(await project.run("run", "clean.yaml", `+parallel.env=${env}`)).toMatchObject({ status: 0 });
    expect(project.text("exp/clean/records.jsonl")).toBe('"ccc"\n"dddd"\n');
  });
});
