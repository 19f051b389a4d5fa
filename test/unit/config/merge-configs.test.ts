import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config/load-config.ts";
import { mergeConfigs } from "../../../src/config/merge-configs.ts";
import { positionOf } from "../../../src/config/position-of.ts";
import { writeFiles } from "../../support/write-files.ts";

describe("mergeConfigs", () => {
  it("merges sections and replaces everything else", () => {
    const merged = mergeConfigs(
      { a: { b: 1, c: { d: 2 } }, list: [1, 2, 3], x: 1, y: { z: 1 } },
      { a: { c: { e: 3 } }, list: [4], x: { w: 1 }, y: null },
    );
    expect(merged).toEqual({ a: { b: 1, c: { d: 2, e: 3 } }, list: [4], x: { w: 1 }, y: null });
  });

  it("keeps what is there where the other says ???", () => {
    expect(mergeConfigs({ a: 1, b: { c: 2 } }, { a: "???", b: "???", d: "???" })).toEqual({
      a: 1,
      b: { c: 2 },
      d: "???",
    });
  });

  it("takes any number of configs and leaves them alone", () => {
    const first = { a: { b: 1 } };
    expect(mergeConfigs(first)).toEqual(first);
    expect(mergeConfigs(first, { a: { c: 2 } }, { a: { b: 3 } })).toEqual({ a: { b: 3, c: 2 } });
    expect(first).toEqual({ a: { b: 1 } });
  });

  it("gives a frozen config whose values still know where they were written", async () => {
    const folder = writeFiles({ "a.yaml": "x: {y: 1}\n", "b.yaml": "\nx: {z: 2}\n" });
    const merged = mergeConfigs<{ x: object }>(
      await loadConfig(join(folder, "a.yaml")),
      await loadConfig(join(folder, "b.yaml")),
    );
    expect(merged).toEqual({ x: { y: 1, z: 2 } });
    expect(Object.isFrozen(merged.x)).toBe(true);
    expect(positionOf(merged, "x.y")).toEqual({ source: join(folder, "a.yaml"), line: 1, column: 5 });
    expect(positionOf(merged, "x.z")).toEqual({ source: join(folder, "b.yaml"), line: 2, column: 5 });
  });

  it("refuses to merge a list and a section", () => {
    expect(() => mergeConfigs({ a: { b: [1] } }, { a: { b: { c: 1 } } })).toThrow(
      "config 2 of mergeConfigs: a.b is a section here and a list in config 1 of mergeConfigs.",
    );
    expect(() => mergeConfigs({ a: {} }, { a: [] })).toThrow("a is a list here and a section");
  });

  it.each<[string, unknown, RegExp]>([
    ["a list", [1], /Config 1 of mergeConfigs is an array of 1/],
    ["a class", new Map(), /Config 1 of mergeConfigs holds a Map/],
    ["a function inside", { a: () => 1 }, /holds the function a/],
  ])("refuses %s", (_what, config, message) => {
    expect(() => mergeConfigs(config as object)).toThrow(message);
  });

  it("needs a config", () => {
    expect(() => mergeConfigs()).toThrow("at least one config");
  });

  it("does not let a key reach a prototype", () => {
    const hostile = JSON.parse('{"__proto__": {"polluted": 1}}') as object;
    expect(() => mergeConfigs({}, hostile)).toThrow("__proto__ is not allowed");
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});
