// A worker has the driver's provider, with everything it carries, or the run is refused by the field's name.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { type EnvironmentProvider, type ParallelInput, type RunnerOptions, range } from "millrace";
import { describe, expect, it } from "vitest";
import { rebuildRunner } from "../../src/worker/join/rebuild-runner.ts";
import {
  AccessorProvider,
  CleaningProvider,
  ExamplesProvider,
  FailingRunner,
  Forgetful,
  LateProvider,
  LengthProvider,
  MadeProvider,
  MemoProvider,
  NumberProvider,
  PlainProvider,
  PrivateProvider,
  Secretive,
  SeenRunner,
  SharingProvider,
  SwappingProvider,
  UnshiftingProvider,
  Vocabulary,
} from "../fixtures/providers/field-providers.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

type AnyProvider = EnvironmentProvider<{ readonly seen: string }>;

const local: ParallelInput = { env: "local" };
const inProcess: ParallelInput = { env: "process", n_workers: 1 };
const inThread: ParallelInput = { env: "thread", n_workers: 1 };
const elsewhere = [inProcess, inThread];

const seen = async (provider: AnyProvider, parallel: ParallelInput, more: RunnerOptions = {}) =>
  (await new SeenRunner(provider, { progress: false, parallel, ...more }).run(range(1)))[0];
const late = (value: unknown) => Object.assign(new LateProvider({}), { late: value });
const shown = (value: unknown) => inspect(value, { depth: null, breakLength: Number.POSITIVE_INFINITY });

const shared = { word: "a" };
const sparse = [1, undefined, 3];
sparse.length = 5;
delete sparse[1];

const carried: Record<string, readonly [make: () => AnyProvider, expected: string]> = {
  "examples that were handed to the constructor": [
    () => new ExamplesProvider({}, ["a", "b"]),
    "{ examples: [ 'a', 'b' ] }",
  ],
  "a number that was handed to the constructor": [() => new NumberProvider({}, 7), "{ n: '7' }"],
  "what a constructor made of an argument that workers do not have": [
    () => new LengthProvider({}, ["a", "b"]),
    "{ count: 2 }",
  ],
  "a field that was set after construction": [() => late("as set"), "{ late: 'as set' }"],
  "a field that was added after construction": [
    () => Object.assign(new LateProvider({}), { more: [1n] }),
    "{ late: 'as made', more: [ 1n ] }",
  ],
  "a field that was deleted after construction": [
    () => {
      const provider = new LateProvider({});
      Reflect.deleteProperty(provider, "late");
      return provider;
    },
    "{}",
  ],
  "an instance with toJSON and from": [() => late(new Vocabulary(["a", "b"])), "{ late: Vocabulary of a b }"],
  "what the constructor makes of the config": [() => new MadeProvider({ word: "b" }), "a b"],
  "private fields that are as the constructor makes them": [() => new PrivateProvider({}), ""],
  "a config that the constructor has changed, once": [
    () => new UnshiftingProvider({ words: ["a", "b"] }),
    "{ words: [ '<blank>', 'a', 'b' ] }",
  ],
  "functions of its class, beside a constructor": [() => new CleaningProvider({}, [" a", "b "]), "a b"],
  "config and params, whatever the constructor does with them": [
    () => new SwappingProvider({ calls: 1 }),
    "{ calls: 2 }",
  ],
};

describe.each([local, ...elsewhere])("a provider in env $env has", (parallel) => {
  it.each(Object.entries(carried))("%s", async (_what, [make, expected]) => {
    expect(await seen(make(), parallel)).toBe(expected);
  });

  it.each([
    ["a Map", new Map<unknown, unknown>([[{ a: 1 }, new Set([Number.NaN])]])],
    ["a Date", [new Date(5), new Date(Number.NaN)]],
    ["a regular expression", /a+/giu],
    ["a URL", new URL("https://example.org/a?b#c")],
    ["numbers that JSON does not have", [-0, Number.NaN, Number.NEGATIVE_INFINITY, 2n ** 70n]],
    ["undefined", { a: undefined, b: [undefined] }],
    ["an array with holes", sparse],
    ["an object without a prototype", Object.assign(Object.create(null) as object, { b: 1, a: 2 })],
    ["typed arrays", Float32Array.of(1.5, -0)],
  ])("%s in a field as it was", async (_what, value) => {
    expect(await seen(late(value), parallel)).toBe(shown({ late: value }));
  });

  it("one object where config and fields share it", async () => {
    expect(await seen(new SharingProvider({ shared }), parallel)).toBe("shared");
  });
});

describe.each(elsewhere)("a run in env $env is refused by the name of", (parallel) => {
  const circular: { me?: object } = {};
  circular.me = circular;
  const refusals: Record<string, readonly [make: () => AnyProvider, message: RegExp]> = {
    "a field that is a function": [() => late((text: string) => text), /field late of LateProvider is a function/],
    "a field with a function deep inside": [
      () => late({ hooks: [new Map([["a", () => 1]])] }),
      /field late\.hooks\[0\]\.get\("a"\) of LateProvider is a function/,
    ],
    "a field with an instance that does not say how it travels": [
      () => late(new Secretive("a")),
      /field late of LateProvider is a Secretive/,
    ],
    "a field with an instance that its from does not make again": [
      () => late(new Forgetful(["a"])),
      /field late of LateProvider is a Forgetful/,
    ],
    "a field that refers to itself": [() => late(circular), /field late\.me of LateProvider refers to itself/],
    "a function of the class that was replaced": [
      () => Object.assign(new MadeProvider({}), { clean: (text: string) => `${text}!` }),
      /field clean of MadeProvider is the function clean|field clean of MadeProvider is a function/,
    ],
    "a private field that the constructor assigns": [
      () => new PrivateProvider({}, ["a"]),
      /field #examples of PrivateProvider/,
    ],
    "a private field that was changed after construction": [
      () => Object.assign(new AccessorProvider({}), { level: 2 }),
      /field #level of AccessorProvider/,
    ],
    "a field under a symbol": [
      () => Object.assign(new LateProvider({}), { [Symbol("hidden")]: 1 }),
      /field Symbol\(hidden\) of LateProvider/,
    ],
    "a field that is not enumerable": [
      () => Object.defineProperty(new LateProvider({}), "hidden", { value: 1 }),
      /field hidden of LateProvider/,
    ],
    "an accessor of the object's own": [
      () => Object.defineProperty(new LateProvider({}), "computed", { get: () => 1, enumerable: true }),
      /field computed of LateProvider is an accessor/,
    ],
  };
  it.each(Object.entries(refusals))("%s", async (_what, [make, message]) => {
    await expect(seen(make(), parallel)).rejects.toMatchObject({
      code: "BAD_PROVIDER",
      message: expect.stringMatching(message),
      hint: expect.stringMatching(/params \(or config\)[\s\S]*buildEnvLocal/),
    });
  });
});

describe("what a provider carries is part of the run's identity", () => {
  it.each([local, inProcess])("in env $env: other examples are another run", async (parallel) => {
    const outputDir = temporaryFolder();
    await seen(new ExamplesProvider({}, ["a"]), parallel, { outputDir });
    await expect(seen(new ExamplesProvider({}, ["b"]), parallel, { outputDir })).rejects.toMatchObject({
      code: "RUN_CHANGED",
      message: expect.stringContaining('provider.examples: ["a"] -> ["b"]'),
    });
    expect(await seen(new ExamplesProvider({}, ["a"]), parallel, { outputDir })).toBe("{ examples: [ 'a' ] }");
  });

  it("where the constructor makes the same of config and params it is not", async () => {
    const outputDir = temporaryFolder();
    await seen(new NumberProvider({}, 3), local, { outputDir });
    const manifest = JSON.parse(readFileSync(join(outputDir, "manifest.json"), "utf8")) as { fingerprint: object };
    expect(Object.keys(manifest.fingerprint)).toContain("provider.n");
    const made = temporaryFolder();
    await seen(new LateProvider({}), local, { outputDir: made });
    const other = JSON.parse(readFileSync(join(made, "manifest.json"), "utf8")) as { fingerprint: object };
    expect(Object.keys(other.fingerprint).filter((key) => key.startsWith("provider."))).toEqual([]);
  });

  it("also where they cannot be written down", async () => {
    const outputDir = temporaryFolder();
    await seen(new PrivateProvider({}, ["a"]), local, { outputDir });
    await expect(seen(new PrivateProvider({}, ["b"]), local, { outputDir })).rejects.toMatchObject({
      code: "RUN_CHANGED",
      message: expect.stringContaining("provider.#examples"),
    });
  });

  it("but not what buildEnvLocal has put into a field", async () => {
    const provider = new MemoProvider({});
    const outputDir = temporaryFolder();
    await seen(provider, local, { outputDir });
    expect(await seen(provider, inProcess, { outputDir })).toBe("built");
    expect(await seen(provider, inThread)).toBe("built");
  });

  it("so that a retry of a run has the fields too", async () => {
    const outputDir = temporaryFolder();
    const options = { progress: false, parallel: local, outputDir, onError: "skip" } as const;
    await new FailingRunner(new ExamplesProvider({}, ["a"]), options).run(range(2));
    process.env["MILLRACE_TEST_CURED"] = "1";
    try {
      const runner = await rebuildRunner(outputDir);
      expect(Reflect.get(runner.provider, "examples")).toEqual(["a"]);
      await new FailingRunner(new ExamplesProvider({}, ["a"]), options).retryFailed();
    } finally {
      delete process.env["MILLRACE_TEST_CURED"];
    }
    expect(readFileSync(join(outputDir, "split.1", "records.jsonl"), "utf8")).toContain("examples");
  });
});

describe("a run folder whose provider cannot be made again from it", () => {
  const specOf = (outputDir: string) => join(outputDir, ".millrace", "spec.json");
  const asVersion1 = (outputDir: string, providerFields: readonly string[]) => {
    const { providerState: _state, ...spec } = JSON.parse(readFileSync(specOf(outputDir), "utf8")) as Record<
      string,
      unknown
    >;
    writeFileSync(specOf(outputDir), JSON.stringify({ ...spec, version: 1, providerFields }));
  };

  it.each<[string, () => AnyProvider, RegExp]>([
    ["a function in a field", () => late(() => 1), /field late of LateProvider is a function/],
    [
      "a function in the params",
      () => new LateProvider({}, { a: { b: () => 1 } }),
      /field params\.a\.b of LateProvider is/,
    ],
  ])("is refused where it was run in one process with %s", async (_what, make, message) => {
    const outputDir = temporaryFolder();
    await seen(make(), local, { outputDir });
    await expect(rebuildRunner(outputDir)).rejects.toMatchObject({
      code: "BAD_PROVIDER",
      message: expect.stringMatching(message),
    });
  });

  it("is refused where an earlier version began it and the provider has fields", async () => {
    const outputDir = temporaryFolder();
    await seen(new LateProvider({}), local, { outputDir });
    asVersion1(outputDir, ["config", "params", "late"]);
    await expect(rebuildRunner(outputDir)).rejects.toThrow(/earlier version .* did not store the value of late/);
  });

  it("is refused where an earlier version began it and the constructor may have got anything", async () => {
    const outputDir = temporaryFolder();
    await seen(new SwappingProvider({}), local, { outputDir });
    asVersion1(outputDir, ["config", "params"]);
    await expect(rebuildRunner(outputDir)).rejects.toThrow(/did not store the value of constructor/);
  });

  it("is no other than that: one of an earlier version without fields is taken up", async () => {
    const outputDir = temporaryFolder();
    await seen(new PlainProvider({ a: 1 }), local, { outputDir });
    asVersion1(outputDir, ["config", "params"]);
    expect((await rebuildRunner(outputDir)).provider.config).toEqual({ a: 1 });
  });
});
