import { describe, expect, it } from "vitest";
import { defineRun } from "../../../src/contract/define-run.ts";
import { defineProvider, defineRunner } from "../../../src/contract/define-runner.ts";
import { definitionIn } from "../../../src/contract/definition-mark.ts";
import { range } from "../../../src/plan/range.ts";

const quiet = { progress: false } as const;
const meta = (url: string) => ({ url });

describe("defineRun", () => {
  it("runs forward with what env has built", async () => {
    const add = defineRun(import.meta, {
      env: async ({ by }: { readonly by: number }) => ({ by }),
      forward: (idx, { by }) => (idx === 1 ? null : idx + by),
    });
    expect(await add.run(range(3), { config: { by: 10 }, ...quiet })).toEqual([10, 12]);
  });

  it("numbers the definitions of a module, and names them by its file", () => {
    const definition = { env: () => ({}), forward: (idx: number) => idx, version: 3 };
    const made = ["file:///home/me/loud.ts", "file:///home/me/loud.ts", "file:///home/me/quiet.mjs"].map((url) =>
      definitionIn(defineRun(meta(url), definition)),
    );
    expect(made.map((one) => [one?.position, one?.Runner.name, one?.Provider.name])).toEqual([
      [0, "loud", "loud"],
      [1, "loud-2", "loud-2"],
      [0, "quiet", "quiet"],
    ]);
    const { module, version, definition: position } = made[0]!.Runner as unknown as Record<string, unknown>;
    expect({ module, version, position }).toEqual({ module: "file:///home/me/loud.ts", version: 3, position: 0 });
  });

  it.each<[object, string]>([
    [{ forward: () => 1 }, "A run needs env."],
    [{ env: () => ({}) }, "A run needs forward."],
    [{ env: () => ({}), forward: () => 1, writeRecords: () => {} }, 'A run has no "writeRecords".'],
    [{ env: () => ({}), forward: () => 1, frward: () => 1 }, "Did you mean forward?"],
    [{ env: () => ({}), forward: 1 }, "forward of a run is 1."],
  ])("refuses %o", (definition, message) => {
    expect(() => defineRun(import.meta, definition as never)).toThrow(message);
  });

  it.each([
    ["state", { state: () => new Map() }, "a Map"],
    ["state", { state: async () => 5 }, "5"],
    ["finish", { finish: () => [1] }, "an array of 1"],
    ["finish", { state: () => ({ n: 0 }), finish: async () => new Set() }, "a Set"],
  ])("refuses a %s whose keys would be lost, at the first shard", async (hook, hooks, got) => {
    const definition = { env: () => ({}), forward: (idx: number) => idx, ...hooks };
    const running = defineRun(import.meta, definition as never).run(range(1), quiet as never);
    await expect(running).rejects.toMatchObject({
      code: "BAD_RUNNER",
      reason: expect.stringMatching(new RegExp(`\\.${hook} must return an object .* it returned ${got}\\.`)),
    });
  });

  it("says where the config goes if its keys are given as options", () => {
    const add = defineRun(import.meta, {
      env: ({ by }: { by: number }) => ({ by }),
      forward: (idx, { by }) => idx + by,
    });
    const run = (options: object) => () => add.run([1], { ...quiet, ...options } as never);
    expect(run({ by: 1 })).toThrow(/"by" is not known[\s\S]*run\(items, \{ config: \{ by: … \} \}\)/);
    expect(run({ outputdir: "exp" })).toThrow(/Did you mean outputDir\?/);
  });

  it("keeps its batch where a start names none, and takes that of the start where it does", async () => {
    const sizes = defineRun(import.meta, {
      env: () => ({}),
      batch: 2,
      forward: (indices) => indices.map(() => indices.length),
    });
    expect(await sizes.run(range(4), { ...quiet, shards: 1, batchSize: undefined })).toEqual([2, 2, 2, 2]);
    expect(await sizes.run(range(4), { ...quiet, shards: 1, batchSize: null })).toEqual([2, 2, 2, 2]);
    expect(await sizes.run(range(4), { ...quiet, shards: 1, batchSize: 4 })).toEqual([4, 4, 4, 4]);
    expect(await sizes.run(range(3), { ...quiet, shards: 1, batchBy: { cost: "sum", max: 3 } })).toEqual([3, 3, 3]);
  });

  it("refuses a batch that forward cannot take", () => {
    const single = defineRun(import.meta, { env: () => ({}), forward: (idx) => idx });
    expect(() => single.run(range(2), { ...quiet, batchSize: 2 } as never)).toThrow(
      /batchSize is given.*takes one index/,
    );
  });

  it.each([undefined, "file:///a.js", {}])("wants import.meta, not %o", (wrong) => {
    const definition = { env: () => ({}), forward: (idx: number) => idx };
    expect(() => defineRun(wrong as never, definition)).toThrow(/Pass import\.meta/);
  });
});

type Define = (meta: never, found: never) => void;

describe.each<[string, Define]>([
  ["defineRunner", defineRunner],
  ["defineProvider", defineProvider],
])("%s", (_name, define) => {
  it("names the module of a class, and of that class alone", () => {
    class Above {}
    class Below extends Above {}
    define(meta("file:///a.js") as never, Below as never);
    expect(Object.getOwnPropertyDescriptor(Below, "module")?.value).toBe("file:///a.js");
    expect(Object.hasOwn(Above, "module")).toBe(false);
  });

  it("wants import.meta and a class", () => {
    expect(() => define("a.js" as never, class {} as never)).toThrow(/Pass import\.meta/);
    expect(() => define(meta("file:///a.js") as never, {} as never)).toThrow(/Pass the class/);
  });
});
