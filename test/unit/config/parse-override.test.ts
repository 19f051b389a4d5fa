// biome-ignore-all lint/suspicious/noTemplateCurlyInString: interpolations of configs are what is tested
// Hydra's documented override grammar (1.3): website/docs/advanced/override_grammar.
import { describe, expect, it } from "vitest";
import { Float } from "../../../src/config/config-node.ts";
import { parseOverride } from "../../../src/config/parse-override.ts";
import { toPlain } from "../../../src/config/to-plain.ts";

const readValue = (text: string) => {
  const { value } = parseOverride(`key=${text}`);
  return value === undefined ? undefined : toPlain(value);
};
const isFloat = (text: string) => {
  const { value } = parseOverride(`key=${text}`);
  return value?.kind === "scalar" && value.value instanceof Float;
};

describe("the value of an override", () => {
  it.each<[string, unknown]>([
    ["", ""],
    ["abc", "abc"],
    ["abc-123", "abc-123"],
    ["a b c\t-\t1 2 3", "a b c\t-\t1 2 3"],
    ["  hello world  ", "hello world"],
    ["123abc", "123abc"],
    ["null", null],
    ["NULL", null],
    ["true", true],
    ["faLse", false],
    ["1", 1],
    ["-20", -20],
    ["1_000_000", 1_000_000],
    ["0.51", 0.51],
    ["10e0", 10],
    ["-10e6", -10e6],
    ["inf", Number.POSITIVE_INFINITY],
    ["-inf", Number.NEGATIVE_INFINITY],
    ["nan", Number.NaN],
    ["007", "007"],
    [".", "."],
    ["/srv/data", "/srv/data"],
    ["c:\\foo\\a-b.txt", "c:\\foo\\a-b.txt"],
    ["http://host:80/x?y|z*%@", "http://host:80/x?y|z*%@"],
    ["${foo.bar}", "${foo.bar}"],
    ["xyz_${a.b.c}", "xyz_${a.b.c}"],
    ["${oc.env:USER,me}", "${oc.env:USER,me}"],
    ["${a.${b}}", "${a.${b}}"],
    ["${f:'}',{a:1}}", "${f:'}',{a:1}}"],
    ["job\\{a\\=1\\,b\\=2\\}", "job{a=1,b=2}"],
    ["A\\[B", "A[B"],
    ["a\\ ", "a "],
    [" \t a\\ \t ", "a "],
    [" a \t ", "a"],
    ['"hello there"', "hello there"],
    ["'1,2,3'", "1,2,3"],
    ["'{a:10} ${xyz}'", "{a:10} ${xyz}"],
    ['"escaped \\"double quote\\""', 'escaped "double quote"'],
    ["'escaped \\'single quote\\''", "escaped 'single quote'"],
    ['"the path is C:\\\\\\"some folder\\"\\\\"', 'the path is C:\\"some folder"\\'],
    ["'a\\b'", "a\\b"],
    ["'12'", "12"],
    ["[]", []],
    ["[1,2,3]", [1, 2, 3]],
    ["[ 1 , 2 ]", [1, 2]],
    ["[a,[b,[c]]]", ["a", ["b", ["c"]]]],
    ["['a b',null,true,1.5]", ["a b", null, true, 1.5]],
    ["['[a,b]']", ["[a,b]"]],
    ["{}", {}],
    ["{a:10,b:20}", { a: 10, b: 20 }],
    ["{ a : 10 , b : x y }", { a: 10, b: "x y" }],
    ["{a:10,b:{c:[1,2]}}", { a: 10, b: { c: [1, 2] } }],
    ["{a b:1,1:2,x-y:3}", { "a b": 1, "1": 2, "x-y": 3 }],
    ["{a:b:c}", { a: "b:c" }],
    ["{a:${b}}", { a: "${b}" }],
    ["???", "???"],
    ["~/data", "~/data"],
    ["größe", "größe"],
  ])("%j", (text, expected) => {
    expect(readValue(text)).toEqual(expected);
  });

  it.each<[string, unknown]>([
    ["int(10.0)", 10],
    ["int(3.14)", 3],
    ["int(value=3.14)", 3],
    ["int('10')", 10],
    ["int(true)", 1],
    ["int([1.5,[2.5]])", [1, [2]]],
    ["float(10)", 10],
    ["float('1e3')", 1000],
    ["float(float(10))", 10],
    ["str(10)", "10"],
    ["str(10.0)", "10.0"],
    ["str(1e6)", "1000000.0"],
    ["str(true)", "true"],
    ["str([1,2,3])", ["1", "2", "3"]],
    ["str({a:10})", { a: "10" }],
    ["bool(10.0)", true],
    ["bool(0)", false],
    ["bool('true')", true],
    ["bool([0,1])", [false, true]],
  ])("casts: %s", (text, expected) => {
    expect(readValue(text)).toEqual(expected);
  });

  it("distinguishes floats from integers", () => {
    expect(["1.0", "1e3", "float(1)", "inf"].map(isFloat)).toEqual([true, true, true, true]);
    expect(["1", "'1.0'", "int(1.0)", "true"].map(isFloat)).toEqual([false, false, false, false]);
  });

  it.each([
    ["1,2", /There are several values/],
    ["[a,b],[c]", /There are several values/],
    ["[", /it ends too early/],
    ["[1", /it ends too early/],
    ["[1,]", /"\]" is not allowed at character 4/],
    ["{a}", /"}" is not allowed/],
    ["{a:}", /"}" is not allowed/],
    ["[]aa", /"aa" is not allowed at character 3/],
    ["[1,2,3]'", /"'" is not allowed here/],
    ["a=b", /"=" is not allowed at character 2/],
    ["'a", /is not allowed here/],
    ["'a'b", /"b" is not allowed/],
    ["${a", /an interpolation is not closed/],
    ["a)", /"\)" is not allowed/],
    ["int(foo)", /"foo" cannot be cast to int/],
    ["int(inf)", /cannot be cast to int/],
    ["bool('10')", /cannot be cast to bool/],
    ["float(null)", /null cannot be cast/],
    ["int(1,2)", /int\(\) takes one value/],
    ["int(x=1)", /int\(\) takes one value/],
    ["choice(a,b)", /no function choice here/],
    ["range(1,5)", /no sweeps/],
    ["9007199254740993", /beyond ±2\^53/],
    ["{x:1,y:2,x:3}", /override key=\{x:1,y:2,x:3\}: The key x is there twice\.\n {2}-> Remove one of them/],
    ["{__proto__:{a:1}}", /__proto__ is not allowed/],
    ["[".repeat(200), /nests deeper than 50 levels/],
  ])("refuses %j", (text, message) => {
    expect(() => readValue(text)).toThrow(message);
  });
});

describe("the key of an override", () => {
  it.each([
    ["a=1", "change", "a", undefined],
    ["+a.b=1", "add", "a.b", undefined],
    ["++a.b.c=1", "forceAdd", "a.b.c", undefined],
    ["~a.b", "delete", "a.b", undefined],
    ["list.0=1", "change", "list.0", undefined],
    ["list[0].x=1", "change", "list[0].x", undefined],
    ["server/db=x", "change", "server/db", undefined],
    ["db@backup=x", "change", "db", "backup"],
    ["+server/db@a.b=x", "add", "server/db", "a.b"],
    ["db@=x", "change", "db", ""],
    ["$a-b_c=1", "change", "$a-b_c", undefined],
  ])("%s", (text, kind, key, pack) => {
    expect(parseOverride(text)).toMatchObject({ kind, key, package: pack, text });
  });

  it.each([
    "",
    "=",
    "=1",
    "a b=1",
    "a..b=1",
    ".a=1",
    "a.=1",
    "+=1",
    "~",
    "~=1",
    "a[=1",
    "a@b c=1",
    "-a=1",
    "--help",
    "+++a=1",
    "a\0b=1",
  ])("refuses %j", (text) => {
    expect(() => parseOverride(text)).toThrow(/^override .*: This is not an override/s);
  });

  it("takes no longer for many blanks than for other characters", () => {
    const start = process.cpuUsage().user;
    expect(() => parseOverride(`a=b${" ".repeat(300_000)}'`)).toThrow("is not allowed here");
    // Microseconds. It was 40 s when every blank was a place where the last blanks might begin.
    expect(process.cpuUsage().user - start).toBeLessThan(10_000_000);
  });

  it("takes no longer for a number of many digits", () => {
    const start = process.cpuUsage().user;
    expect(() => parseOverride(`a=float('${"1".repeat(300_000)}x')`)).toThrow("override a=float");
    expect(process.cpuUsage().user - start).toBeLessThan(10_000_000);
  });

  it("asks for a value", () => {
    expect(() => parseOverride("a.b")).toThrow("override a.b: It has no value.");
    expect(() => parseOverride("+a")).toThrow("It has no value");
  });

  it.each(["__proto__=1", "a.__proto__.b=1", "a[__proto__]=1"])("refuses %s", (text) => {
    expect(() => parseOverride(text)).toThrow("__proto__ is not allowed");
  });
});
