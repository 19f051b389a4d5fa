// biome-ignore-all lint/suspicious/noTemplateCurlyInString: interpolations of configs are what is tested
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config/load-config.ts";
import { writeFiles } from "../../support/write-files.ts";

const yaml = "a: {b: 1, d: x}\nl: [1, {x: 2}]\nn: null\nm: ???\nr: ${a}\n";
const load = (...overrides: string[]) =>
  loadConfig(join(writeFiles({ "c.yaml": yaml }), "c.yaml"), overrides, { allowMissing: true });

describe("overrides", () => {
  it.each<[string[], object]>([
    [["a.b=3"], { a: { b: 3, d: "x" } }],
    [["a.b=[1,{c:2}]"], { a: { b: [1, { c: 2 }], d: "x" } }],
    [["a={b:5}"], { a: { b: 5, d: "x" } }],
    [["a=5"], { a: 5 }],
    [["a.b="], { a: { b: "", d: "x" } }],
    [["+a.c=1"], { a: { b: 1, d: "x", c: 1 } }],
    [["+a={c:1}"], { a: { b: 1, d: "x", c: 1 } }],
    [["+p.q.r=1"], { p: { q: { r: 1 } } }],
    [["+n=1"], { n: 1 }],
    [["+m=1"], { m: 1 }],
    [["++a.b=2", "++a.z.y=3"], { a: { b: 2, d: "x", z: { y: 3 } } }],
    [["++a.b.c=2"], { a: { b: { c: 2 }, d: "x" } }],
    [["~a.d"], { a: { b: 1 } }],
    [["~a.d=x"], { a: { b: 1 } }],
    [["~a.b=1"], { a: { d: "x" } }],
    [["~n"], {}],
    [["l.0=9", "l.1.x=8"], { l: [9, { x: 8 }] }],
    [["l[0]=9"], { l: [9, { x: 2 }] }],
    [["~l.0"], { l: [{ x: 2 }] }],
    [["l=[]"], { l: [] }],
    [["a.b=${n}"], { a: { b: null, d: "x" } }],
    [["a.b=1", "a.b=2"], { a: { b: 2, d: "x" } }],
    [["r={b:7}"], { r: { b: 7 }, a: { b: 1, d: "x" } }],
    [["+r={b:7}"], { r: { b: 7 }, a: { b: 1, d: "x" } }],
    [["a.d='${a.b}'"], { a: { b: 1, d: 1 } }],
  ])("%j", async (overrides, expected) => {
    expect(await load(...overrides)).toMatchObject(expected);
  });

  it("remove what they say and nothing else", async () => {
    expect(await load("~a.d", "~l.0", "~r", "~m")).toEqual({ a: { b: 1 }, l: [{ x: 2 }], n: null });
  });

  it.each<[string, RegExp]>([
    ["x=1", /override x=1: There is no key x in the config\.\n {2}-> To add it, write \+x=1\./],
    ["a.bb=1", /There is no key a\.bb in the config\.\n {2}-> Did you mean b\?/],
    ["a.b.c=1", /There is no key a\.b\.c/],
    ["a={e:5}", /a has no key e\.\n {2}-> To add it, write \+a=\{e:5\}\./],
    ["+a.b=2", /a\.b is there already\.\n {2}-> Write a\.b=2 to change it, or \+\+a\.b=2/],
    ["~a.x", /a\.x cannot be removed: it is not there/],
    ["~a.b=2", /a\.b is 1, not 2/],
    ["~a.dd", /a\.dd cannot be removed: it is not there\.\n {2}-> Did you mean d\? Leave/],
    ["l.5=1", /There is no key l\.5 in the config\.\n {2}-> l is a list of 2\. Positions count from 0; .* l=\[…\]\./],
    ["l.5.x=1", /There is no key l\.5\.x in the config\.\n {2}-> l is a list of 2/],
    ["++l.5=1", /l\.5 cannot be set: l is a list of 2 and has no 5/],
    ["++l.x=1", /l\.x cannot be set/],
    ["a=[1]", /a is a section; a list cannot be merged into it/],
    ["l={x:1}", /l is a list; a section cannot be merged into it/],
    ["r.b=2", /There is no key r\.b/],
    ["group/x=1", /There is no config group group\/x/],
    ["a@b=1", /There is no config group a/],
  ])("refuse %s", async (override, message) => {
    await expect(load(override)).rejects.toThrow(message);
  });
});
