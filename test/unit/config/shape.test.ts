import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkShape } from "../../../src/config/check-shape.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { type ShapeValue, shape } from "../../../src/config/shape.ts";
import { MillraceError } from "../../../src/errors/errors.ts";
import { writeFiles } from "../../support/write-files.ts";

const prep = shape.object({
  n: shape.int({ min: 1 }),
  rate: shape.optional(shape.number({ min: 0, max: 1 })),
  name: shape.string(),
  mode: shape.oneOf(["train", "valid"]),
  debug: shape.optional(shape.boolean()),
  splits: shape.list(shape.string(), { min: 1 }),
  paths: shape.map(shape.string()),
  batch: shape.nullable(shape.int()),
  items: shape.union(shape.int(), shape.object({ from: shape.int(), to: shape.int() })),
  other: shape.optional(shape.any()),
});

const good = "n: 3\nname: x\nmode: train\nsplits: [a]\npaths: {a: b}\nbatch: null\nitems: 5\n";

async function check(yaml: string): Promise<ShapeValue<typeof prep>> {
  const folder = writeFiles({ "prep.yaml": yaml });
  return checkShape(await loadConfig(join(folder, "prep.yaml")), prep);
}
const replaced = (key: string, line: string) => good.replace(new RegExp(`^${key}:.*$`, "m"), line);

describe("checkShape", () => {
  it("gives the config back, with its type", async () => {
    const config = await check(good);
    const n: number = config.n;
    const mode: "train" | "valid" = config.mode;
    const rate: number | undefined = config.rate;
    expect([n, mode, rate, config.items]).toEqual([3, "train", undefined, 5]);
    expect((await check(replaced("items", "items: {from: 1, to: 2}"))).items).toEqual({ from: 1, to: 2 });
  });

  it.each<[string, string, string]>([
    ["n", "n: 0", "prep.yaml:1:1: n is 0; a whole number from 1 was expected."],
    ["n", "n: 1.5", "prep.yaml:1:1: n is 1.5; a whole number from 1 was expected."],
    ["n", "n: '3'", 'n is "3"; a whole number from 1 was expected.\n  -> It is a text: remove the quotes.'],
    ["n", "n: null", "n is null; a whole number from 1"],
    ["n", "rate: 2\nn: 1", "rate is 2; a number from 0 to 1 was expected."],
    ["n", "rate: .nan\nn: 1", "rate is NaN; a number from 0 to 1 was expected."],
    ["name", "name: 5", "prep.yaml:2:1: name is 5; a text was expected."],
    [
      "mode",
      "mode: trian",
      'prep.yaml:3:1: mode is "trian"; one of train, valid was expected.\n  -> Did you mean train?',
    ],
    ["splits", "splits: []", "prep.yaml:4:1: splits is an array of 0; a list of at least 1 was expected."],
    ["splits", "splits: [a, 2]", "prep.yaml:4:13: splits[1] is 2; a text was expected."],
    ["splits", "splits: a", 'splits is "a"; a list of at least 1'],
    ["paths", "paths: {a: 1}", "prep.yaml:5:9: paths.a is 1; a text was expected."],
    ["paths", "paths: [1]", "paths is an array of 1; a section was expected."],
    ["batch", "batch: x", 'batch is "x"; a whole number or null was expected.'],
    ["items", "items: x", 'items is "x"; a whole number or a section was expected.'],
    ["items", "items: {from: 1, too: 2, to: 3}", "prep.yaml:7:18: items.too is not known.\n  -> Did you mean to?"],
    ["items", "items: {from: 1}", "prep.yaml:7:1: items.to is missing; a whole number was expected."],
    ["name", "nam: x\nname: y", "prep.yaml:2:1: nam is not known.\n  -> Did you mean name? Valid: n, rate, name, mode"],
    ["name", "# none", "prep.yaml:1:1: name is missing; a text was expected."],
    ["n", "debug: yes please\nn: 1", 'debug is "yes please"; true or false was expected.'],
  ])("%s: refuses %j", async (key, line, message) => {
    await expect(check(replaced(key, line))).rejects.toThrow(message);
    await expect(check(replaced(key, line))).rejects.toMatchObject({ code: "BAD_CONFIG" });
  });

  it("names all mistakes at once", async () => {
    const error: unknown = await check(
      "n: 0\nnmae: x\nmode: train\nsplits: [1]\npaths: {}\nbatch: 1\nitems: 1\n",
    ).catch((e) => e);
    expect(error).toBeInstanceOf(MillraceError);
    const lines = (error as MillraceError).message
      .split("\n")
      .slice(0, -1)
      .map((line) => line.replace(/^.*prep\.yaml/, "prep.yaml"));
    expect(lines).toEqual([
      "prep.yaml:1:1: n is 0; a whole number from 1 was expected.",
      "prep.yaml:2:1: nmae is not known. Did you mean name? Valid: n, rate, name, mode, debug, splits, paths, batch, items, other.",
      "prep.yaml:4:10: splits[0] is 1; a text was expected.",
      "prep.yaml:1:1: name is missing; a text was expected.",
      "  -> Each line names its place; change all of them, then run again.",
    ]);
  });

  it("says what to do about one mistake, also where there is no nearest name", () => {
    const open = shape.object({ n: shape.int() });
    expect(() => checkShape({}, open)).toThrow("-> Add n there.");
    const others = shape.object({ runner: shape.string() }, { others: shape.any() });
    expect(() => checkShape({ runer: "x" }, others)).toThrow("-> There is runer: is it meant to be runner?");
    expect(() => checkShape({ n: true }, open)).toThrow("-> Change n there to what was expected.");
  });

  it("does not print hundreds of mistakes", () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`key${i}`, 1]));
    expect(() => checkShape(many, shape.map(shape.string()))).toThrow(/… and 90 more$/m);
  });

  it("names a config that was not loaded by what it is called", () => {
    expect(() => checkShape({ a: 1 }, shape.object({}), "my options")).toThrow("my options: a is not known.");
    expect(() => checkShape(5, shape.object({}))).toThrow("config: the config is 5; a section was expected.");
  });

  it("says which override is wrong", async () => {
    const folder = writeFiles({ "prep.yaml": good });
    const config = await loadConfig(join(folder, "prep.yaml"), ["n=-1"]);
    expect(() => checkShape(config, prep)).toThrow("override n=-1: n is -1; a whole number from 1 was expected.");
  });

  it("lets a section have other keys of one shape", () => {
    const open = shape.object({ a: shape.int() }, { others: shape.string() });
    expect(checkShape({ a: 1, b: "x" }, open)).toEqual({ a: 1, b: "x" });
    expect(() => checkShape({ a: 1, b: 2 }, open)).toThrow("b is 2; a text was expected");
  });

  it("checks texts by a pattern", () => {
    const memory = shape.string({ pattern: /^\d+GB$/, expected: "a size like 32GB" });
    expect(checkShape("32GB", memory)).toBe("32GB");
    expect(() => checkShape("32", memory)).toThrow("a size like 32GB was expected");
  });

  it("is not confused by keys that every object has", () => {
    expect(() => checkShape({ constructor: 1 }, shape.object({}))).toThrow("constructor is not known");
    expect(() => checkShape({}, shape.object({ toString: shape.string() }))).toThrow("toString is missing");
  });
});
