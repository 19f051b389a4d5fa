// biome-ignore-all lint/suspicious/noTemplateCurlyInString: interpolations of configs are what is tested
// The grammar is compared with OmegaConf in test/integration/config-omegaconf.test.ts; this is what one has to know.
import { describe, expect, it } from "vitest";
import { readYamlText } from "../../../src/config/read-yaml.ts";
import { resolveConfig } from "../../../src/config/resolve-config.ts";
import { toPlain } from "../../../src/config/to-plain.ts";

const options = { now: new Date(2024, 0, 2), env: { HOME: "/home/me" } };
const resolve = (yaml: string) =>
  toPlain(resolveConfig(readYamlText(yaml, "c.yaml"), options)) as Record<string, unknown>;
const base = "a: 5\nb: txt\nc: {d: 1.0, e: '${..b}'}\nl: [1, two, '${.0}']\nn: null\nk: b\nt: true\n";
const readValue = (expression: string) => resolve(`${base}v: ${JSON.stringify(expression)}\n`)["v"];

describe("an interpolation", () => {
  it.each<[string, unknown]>([
    ["${a}", 5],
    ["${n}", null],
    ["${t}", true],
    ["${c}", { d: 1, e: "txt" }],
    ["${l}", [1, "two", 1]],
    ["${c.d}", 1],
    ["${c[d]}", 1],
    ["${[c].d}", 1],
    ["${l[1]}", "two"],
    ["${l.1}", "two"],
    ["${.a}", 5],
    ["${ a }", 5],
    ["${${k}}", "txt"],
    ["${c.${oc.decode:'\"d\"'}}", 1],
    ["x${a}y", "x5y"],
    ["${a}${b}", "5txt"],
    ["${c.d}s", "1.0s"],
    ["${t}/${n}", "True/None"],
    ["${l}!", "[1, 'two', '${.0}']!"],
    ["\\${a}", "${a}"],
    ["\\\\${a}", "\\5"],
    ["\\\\\\${a}", "\\${a}"],
    ["a\\b", "a\\b"],
    ["$a {b} $", "$a {b} $"],
    ["${oc.env:HOME}", "/home/me"],
    ["${oc.env:NOPE,3}", "3"],
    ["${oc.env:NOPE,null}", null],
    ["${oc.select:nope,${a}}", 5],
    ["${oc.select:nope}", null],
    ["${oc.decode:'[1, {x: yes}, null]'}", [1, { x: "yes" }, null]],
    ["${oc.create:{x: 1, y: [a, 'b c', ${a}]}}", { x: 1, y: ["a", "b c", 5] }],
    ["${oc.dict.keys:c}", ["d", "e"]],
    ["${oc.dict.values:c}", [1, "txt"]],
    ["${now:%Y-%m-%d}", "2024-01-02"],
  ])("%j", (expression, expected) => {
    expect(readValue(expression)).toEqual(expected);
  });

  it("starts from where it is written, also when it is reached from elsewhere", () => {
    expect(resolve("a: {x: 1, y: '${.x}', z: '${..w}'}\nw: 2\nb: ${a}\nc: {x: 9, d: '${a}'}\n")).toMatchObject({
      b: { x: 1, y: 1, z: 2 },
      c: { d: { x: 1, y: 1, z: 2 } },
    });
  });

  it("shares what is reached twice instead of copying it", () => {
    const { a, b, c } = resolve("a: {x: [1]}\nb: ${a}\nc: ['${a}', '${a.x}']\n") as {
      a: { x: object };
      b: { x: object };
      c: object[];
    };
    expect(b.x).toBe(a.x);
    expect(c[1]).toEqual(a.x);
  });

  it("is followed through long chains", () => {
    const chain = Array.from({ length: 450 }, (_, i) => `a${i}: \${oc.select:a${i + 1}}`).join("\n");
    expect(resolve(`${chain}\na450: end\n`)["a0"]).toBe("end");
  });

  it("is followed through long chains of sections", () => {
    const chain = Array.from({ length: 240 }, (_, i) => `a${i}: {b: '\${a${i + 1}}'}`).join("\n");
    let inner: unknown = resolve(`${chain}\na240: end\n`)["a0"];
    for (let i = 0; i < 240; i++) inner = (inner as { b: unknown }).b;
    expect(inner).toBe("end");
  });
});
