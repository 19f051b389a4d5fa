// biome-ignore-all lint/suspicious/noTemplateCurlyInString: interpolations of configs are what is tested
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkShape } from "../../../src/config/check-shape.ts";
import { instantiate } from "../../../src/config/instantiate.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { positionOf } from "../../../src/config/position-of.ts";
import { shape } from "../../../src/config/shape.ts";
import { writeFiles } from "../../support/write-files.ts";

type Section = Readonly<Record<string, unknown>>;

const load = <T = Section>(yaml: string) =>
  loadConfig<T>(join(writeFiles({ "c.yaml": yaml }), "c.yaml"), [], { lazy: true, env: {} });

describe("a config that is read lazily", () => {
  it("has all values that can be resolved, whatever is wrong with the others", async () => {
    const config = await load<{ ok: string; sec: Section }>(
      "ok: a${sec.w}\nbad: ${nope}\nsec: {v: ???, w: 3, l: [1, '${x:1}']}\n",
    );
    expect([config.ok, config.sec["w"]]).toEqual(["a3", 3]);
    expect(Object.keys(config)).toEqual(["ok", "bad", "sec"]);
  });

  it.each([
    ["a key that is not there", "a: ${nope}\n", /c\.yaml:1:1: a: \$\{nope\} leads nowhere: there is no key nope/],
    ["a missing value", "a: ???\n", /c\.yaml:1:1: a is \?\?\?: it has to be given/],
    ["a reference to a missing value", "a: ${b}\nb: ???\n", /b is \?\?\? and has to be given/],
    ["a resolver that is not known", "a: ${nope:1}\n", /there is no resolver nope/],
    ["a variable that is not set", "a: ${oc.env:NOPE}\n", /the environment has no variable NOPE/],
    ["a file that is not there", "a: ${load_line:nope}\n", /there is no file \S+nope/],
    ["a circle", "a: ${b}\nb: ${a}\n", /in a circle: a -> b -> a/],
    ["a text that such a value is part of", "b: ${nope}\na: x${b}\n", /b: \$\{nope\} leads nowhere/],
  ])("throws where it is read, with its place: %s", async (_, yaml, message) => {
    const config = await load(yaml);
    expect(() => config["a"]).toThrow(message);
    expect(() => JSON.stringify(config)).toThrow(message);
    expect(() => ({ ...config })).toThrow(message);
  });

  it("throws for an item of a list alone, and in a copy of a section", async () => {
    const config = await load<{ l: unknown[]; c: Section }>("l: [1, '${nope}', 3]\ns: {x: ???, y: 2}\nc: ${s}\n");
    expect([config.l[0], config.l[2], config.l.length, config.c["y"]]).toEqual([1, 3, 3, 2]);
    expect(() => config.l[1]).toThrow("leads nowhere");
    expect(() => config.c["x"]).toThrow("s.x is ???");
  });

  it("is frozen, and knows where such a value was written", async () => {
    const config = await load("a: 1\nb: ${nope}\n");
    expect(Object.isFrozen(config)).toBe(true);
    expect(positionOf(config, "b")).toMatchObject({ line: 2, column: 1 });
    expect(positionOf(config, "b.c")).toMatchObject({ line: 2, column: 1 });
  });

  it("is checked without the values that a shape does not ask for", async () => {
    const config = await load("n: 1\nbad: ${nope}\n");
    expect(() => checkShape(config, shape.object({ n: shape.int() }, { others: shape.any() }))).not.toThrow();
    expect(() => checkShape(config, shape.object({ n: shape.int(), bad: shape.any() }))).not.toThrow();
    expect(() => checkShape(config, shape.object({ n: shape.int(), bad: shape.int() }))).toThrow("leads nowhere");
  });

  it("is an argument of no target with such a value", async () => {
    const files = {
      "c.yaml": "t: {_target_: ./f.mjs#make, a: '${nope}'}\n",
      "f.mjs": "export const make = () => 1;\n",
    };
    const config = await loadConfig<{ t: Section }>(join(writeFiles(files), "c.yaml"), [], { lazy: true });
    await expect(instantiate(config.t)).rejects.toThrow("t.a: ${nope} leads nowhere");
  });

  it.each([
    ["a syntax error", "ok: 1\nbad: ${a\n", /not a valid interpolation/],
    [
      "a config that grows without end",
      `a: ${"x".repeat(1000)}\n${"bcdefgh"
        .split("")
        .map((key, i) => `${key}: ${`\${${"abcdefg"[i]}}`.repeat(20)}\n`)
        .join("")}`,
      /characters out of the config/,
    ],
    ["a file that is not YAML", "a: [1\n", /not valid YAML/],
  ])("is refused at once for %s", async (_, yaml, message) => {
    await expect(load(yaml)).rejects.toThrow(message);
  });

  it("fails once for a long chain of references to such a value", async () => {
    const lines = Array.from({ length: 400 }, (_, i) => `k${i + 1}: \${k${i}}\n`);
    const config = await load(`k0: \${nope}\n${lines.join("")}`);
    expect(() => config["k400"]).toThrow("k0: ${nope} leads nowhere");
  });
});
