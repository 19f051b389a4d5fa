// biome-ignore-all lint/suspicious/noTemplateCurlyInString: interpolations of configs are what is tested
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { builtInResolvers } from "../../../src/config/built-in-resolvers.ts";
import { espnet3Resolvers } from "../../../src/config/espnet3-resolvers.ts";
import { type LoadConfigOptions, loadConfig } from "../../../src/config/load-config.ts";
import { positionOf } from "../../../src/config/position-of.ts";
import { registerResolver, removeResolver } from "../../../src/config/resolvers.ts";
import { writeFiles } from "../../support/write-files.ts";

/** Loads a config that is this text. */
const load = (yaml: string, overrides: string[] = [], options: LoadConfigOptions = {}) =>
  loadConfig(join(writeFiles({ "c.yaml": yaml }), "c.yaml"), overrides, options);

const deeplyFrozen = (value: unknown): boolean =>
  typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(deeplyFrozen));

describe("loadConfig", () => {
  it("reads a config as an ESPnet3 user writes it", async () => {
    const config = await load(`
exp_tag: train_\${model.size}
data_dir: \${oc.env:DATA_DIR,/data}
model: {size: 256, dropout: 1e-1, layers: [1, 2]}
xvector:
  save_path: \${data_dir}/x_vectors
  device: cuda:0
  batch_size: null
parallel:
  env: slurm
  n_workers: 8
  options: {queue: gpu, walltime: 04:00:00, job_extra_directives: ["--gres=gpu:1"]}
`);
    expect(config).toEqual({
      exp_tag: "train_256",
      data_dir: "/data",
      model: { size: 256, dropout: 0.1, layers: [1, 2] },
      xvector: { save_path: "/data/x_vectors", device: "cuda:0", batch_size: null },
      parallel: {
        env: "slurm",
        n_workers: 8,
        options: { queue: "gpu", walltime: "04:00:00", job_extra_directives: ["--gres=gpu:1"] },
      },
    });
  });

  it("gives a plain object that is frozen all the way down", async () => {
    const config = await load("a: {b: [1, {c: 2}]}\nd: ${a}\n");
    expect(deeplyFrozen(config)).toBe(true);
    expect(Object.getPrototypeOf(config)).toBe(Object.prototype);
  });

  it("gives an empty config for an empty file", async () => {
    expect(await load("")).toEqual({});
    expect(await load("# nothing yet\n")).toEqual({});
  });

  it("has the type that is asked for, read-only", async () => {
    const path = join(writeFiles({ "c.yaml": "n: 3\nnames: [a]\n" }), "c.yaml");
    const config = await loadConfig<{ n: number; names: string[] }>(path);
    const n: number = config.n;
    const names: readonly string[] = config.names;
    expect([n, names]).toEqual([3, ["a"]]);
  });

  it("names what is missing, unless it is allowed to be", async () => {
    await expect(load("a: {b: ???}\n")).rejects.toThrow(/c\.yaml:1:5: a\.b is \?\?\?: it has to be given/);
    expect(await load("a: {b: ???}\nc: ${a}\n", [], { allowMissing: true })).toEqual({
      a: { b: "???" },
      c: { b: "???" },
    });
    expect(await load("a: {b: ???}\n", ["a.b=1"])).toEqual({ a: { b: 1 } });
  });

  it.each(["${a.b}", "${a.b}/y"])(
    "refuses %s where it leads to what is missing, also if that may be missing",
    async (text) => {
      const config = load(`a: {b: ???}\nc: ${text}\n`, [], { allowMissing: true });
      await expect(config).rejects.toThrow(
        "c.yaml:2:1: c: ${a.b} leads nowhere: a.b is ??? and has to be given.\n  -> Give it in the config or on the command line: a.b=VALUE. Where it may be left out, write ${oc.select:a.b,DEFAULT}.",
      );
    },
  );

  it.each<[unknown[], RegExp]>([
    [[], /^loadConfig takes the path of a config, and got undefined\.\n {2}-> Pass the path of a file/],
    [[""], /the path of a config, and got ""/],
    [[new URL("file:///c.yaml")], /got a URL\.\n {2}-> Hand it fileURLToPath\(url\)/],
    [
      ["s.yaml", "name=y"],
      /a list of overrides .* got "name=y"\.\n {2}-> Write loadConfig\("s\.yaml", \["name=y"\]\)\./,
    ],
    [["s.yaml", null], /a list of overrides .* got null/],
    [["s.yaml", { allowMissing: true }], /a list of overrides .* got an object/],
    [["s.yaml", ["a=1", 2]], /override 2 is 2\./],
    [["s.yaml", [], null], /options as its third argument, and got null/],
    [["s.yaml", [], { now: 3 }], /a date as its option now, and got 3/],
    [["s.yaml", [], { now: new Date("never") }], /got an invalid one/],
  ])("says what it takes, called with %j", async (words, message) => {
    const call = loadConfig as (...args: unknown[]) => Promise<unknown>;
    await expect(call(...words)).rejects.toMatchObject({
      name: "MillraceError",
      code: "BAD_OPTION",
      message: expect.stringMatching(message),
    });
  });

  it("says that Hydra's own settings are not to be had", async () => {
    await expect(load("a: ${hydra:runtime.cwd}\n")).rejects.toThrow(
      /^\S*c\.yaml:1:1: a: there is no resolver hydra: Hydra itself does not run here\.\n {2}-> Write the value, or/,
    );
  });

  it("reads the time once", async () => {
    const now = new Date(2024, 0, 2, 3, 4, 5);
    const config = await load("a: run-${now:%Y-%m-%d}\nb: ${now:%H-%M-%S}\n", [], { now });
    expect(config).toEqual({ a: "run-2024-01-02", b: "03-04-05" });
  });

  it("reads variables from the environment that it is given", async () => {
    expect(await load("a: ${oc.env:X}\n", [], { env: { X: "y" } })).toEqual({ a: "y" });
    await expect(load("a: ${oc.env:toString}\n", [], { env: {} })).rejects.toThrow("no variable toString");
  });

  it("is not confused by keys that every object has", async () => {
    const config = await load("constructor: 1\ntoString: {valueOf: 2}\na: ${toString.valueOf}\n");
    expect(config).toEqual({ constructor: 1, toString: { valueOf: 2 }, a: 2 });
    await expect(load("a: ${hasOwnProperty}\n")).rejects.toThrow("there is no key hasOwnProperty");
    await expect(load("a: {b: 1}\nc: ${a.__proto__}\n")).rejects.toThrow("there is no key __proto__ in a");
  });
});

describe("positionOf", () => {
  const yaml = "a: 1\nb:\n  c: [x, {d: 2}]\n  e: ${b.c}\nf: ${b}\n";

  it("knows where each value was written", async () => {
    const config = await load(yaml);
    const at = (path: string | (string | number)[]) => {
      const { line, column } = positionOf(config, path) ?? {};
      return [line, column];
    };
    expect(at("a")).toEqual([1, 1]);
    expect(at("b.c")).toEqual([3, 3]);
    expect(at("b.c[0]")).toEqual([3, 7]);
    expect(at(["b", "c", 1, "d"])).toEqual([3, 11]);
    expect(at([])).toEqual([1, 1]);
  });

  it("shows the place of a reference for itself, and the place it leads to for what is inside", async () => {
    const config = await load(yaml);
    expect(positionOf(config, "f")).toMatchObject({ line: 5, column: 1 });
    expect(positionOf(config, "f.c")).toMatchObject({ line: 3, column: 3 });
  });

  it("gives the section's place for a key that is not there", async () => {
    expect(positionOf(await load(yaml), "b.nope")).toMatchObject({ line: 2, column: 1 });
  });

  it("works on a part of a config, and knows overrides", async () => {
    const config = await load(yaml, ["b.c=[1,2]"]);
    expect(positionOf(config["b"], "c")).toEqual({ source: "override b.c=[1,2]" });
  });

  it("knows nothing of other objects", () => {
    expect(positionOf({ a: 1 }, "a")).toBeUndefined();
    expect(positionOf(null, "a")).toBeUndefined();
  });
});

describe("registerResolver", () => {
  const names = ["t.add", "t.bad", "t.now", "t.section", "t.count"];
  afterEach(() => {
    for (const name of names) removeResolver(name);
    removeResolver("now");
  });

  it("makes a function callable from configs, with typed arguments", async () => {
    registerResolver("t.add", (a: number, b: number) => a + b);
    expect(await load("a: ${t.add:1,2.5}\nb: ${t.add:${a},1}\nc: x${t.add:'a',b}\n")).toEqual({
      a: 3.5,
      b: 4.5,
      c: "xab",
    });
  });

  it("takes sections and lists, in and out", async () => {
    registerResolver("t.section", (value: { b: number }) => ({ twice: [value.b, value.b], text: "${b}" }));
    const config = await load("a: {b: '${c}'}\nc: 3\nd: ${t.section:${a}}\ne: ${d.twice[1]}\n");
    expect(config["d"]).toEqual({ twice: [3, 3], text: "${b}" });
    expect(config["e"]).toBe(3);
  });

  it("calls a cached one once for the same arguments in a config", async () => {
    let calls = 0;
    registerResolver("t.count", () => ++calls, { useCache: true });
    expect(await load("a: ${t.count:x}\nb: ${t.count:x}\nc: ${t.count:y}\n")).toEqual({ a: 1, b: 1, c: 2 });
    expect(await load("a: ${t.count:x}\n")).toEqual({ a: 3 });
  });

  it("refuses a name that is taken, unless it is to be replaced", async () => {
    expect(() => registerResolver("oc.env", () => 1)).toThrow("There is a resolver oc.env already");
    registerResolver("t.add", () => 1);
    expect(() => registerResolver("t.add", () => 2)).toThrow("replace: true");
    registerResolver("now", () => "later", { replace: true });
    expect(await load("a: ${now:x}\n")).toEqual({ a: "later" });
    removeResolver("now");
    await expect(load("a: ${now:%Q}\n")).rejects.toThrow("%Q is not a field of a date");
  });

  const soft = ["secret", ...Object.keys(espnet3Resolvers)];
  it.each(Object.keys(builtInResolvers).filter((name) => !soft.includes(name)))("knows that %s is taken", (name) => {
    expect(() => registerResolver(name, () => 1)).toThrow(`There is a resolver ${name} already`);
  });

  it("lets a program keep a resolver of its own that is called secret", async () => {
    registerResolver("secret", (name: string) => `kept:${name}`);
    expect(await load("a: ${secret:x}\n")).toEqual({ a: "kept:x" });
    removeResolver("secret");
  });

  it.each(["", "a-b", "1a", "a..b", "a b", undefined, 3])("refuses the name %j", (name) => {
    expect(() => registerResolver(name as string, () => 1)).toThrow("cannot be the name of a resolver");
  });

  it.each<[string, unknown]>([
    ["undefined", undefined],
    ["a Date", new Date()],
    ["a function", () => 1],
    ["a Promise", Promise.resolve(1)],
    ["a bigint", 1n],
  ])("refuses %s as an answer", async (_what, answer) => {
    registerResolver("t.bad", () => answer);
    await expect(load("x: {a: '${t.bad:}'}\n")).rejects.toThrow(/c\.yaml:1:5: x\.a: \$\{t\.bad:…\} failed: it gave/);
  });

  it("refuses an answer that contains itself", async () => {
    const loop: unknown[] = [];
    loop.push(loop);
    registerResolver("t.bad", () => loop);
    await expect(load("a: ${t.bad:}\n")).rejects.toThrow("it gave an array of 1");
  });

  it("reports what a resolver throws, with its place", async () => {
    registerResolver("t.bad", () => {
      throw new Error("no luck");
    });
    await expect(load("a:\n  b: ${t.bad:1}\n")).rejects.toThrow("c.yaml:2:3: a.b: ${t.bad:…} failed: no luck.");
  });

  it("proposes the nearest name for one that is unknown", async () => {
    await expect(load("a: ${oc.evn:HOME}\n")).rejects.toThrow("Did you mean oc.env?");
    await expect(load("a: ${env:HOME}\n")).rejects.toThrow("Did you mean oc.env?");
  });
});
