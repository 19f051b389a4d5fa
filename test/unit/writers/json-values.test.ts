import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonlWriter } from "../../../src/writers/jsonl-writer.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** The lines that a writer makes of records. */
function linesOf(records: readonly unknown[], options?: { readonly nonFinite?: "refuse" | "null" }): string {
  const dir = temporaryFolder();
  const writer = jsonlWriter(dir, "records.jsonl", options);
  for (const record of records) writer.write(record);
  writer.close();
  return readFileSync(join(dir, "records.jsonl"), "utf8");
}

const refusal = (record: unknown): unknown => {
  try {
    return linesOf([record]);
  } catch (error) {
    return error;
  }
};

class Point {
  x = 1;
  #hidden = 2;
  sum() {
    return this.x + this.#hidden;
  }
}

class Sealed {
  readonly #value = 1;
  value() {
    return this.#value;
  }
}

class Celsius {
  readonly degrees: number;
  constructor(degrees: number) {
    this.degrees = degrees;
  }
  toJSON() {
    return { degrees: this.degrees };
  }
}

const cycle: Record<string, unknown> = { id: 1 };
cycle["above"] = { list: [cycle] };

describe("a JSONL writer keeps values", () => {
  it.each<[string, unknown, string]>([
    ["a Float32Array as an array", { v: new Float32Array([1, 2.5]) }, '{"v":[1,2.5]}'],
    ["a Float64Array as an array", { v: new Float64Array([0.1, -3]) }, '{"v":[0.1,-3]}'],
    ["an Int32Array as an array", new Int32Array([1, -2]), "[1,-2]"],
    ["a Uint8ClampedArray as an array", [new Uint8ClampedArray([255])], "[[255]]"],
    ["a Buffer as an array of its bytes", { b: Buffer.from("ab") }, '{"b":[97,98]}'],
    ["a part of a typed array as that part", { v: new Int16Array([1, 2, 3]).subarray(1) }, '{"v":[2,3]}'],
    ["an empty typed array as an empty array", { v: new Float32Array(0) }, '{"v":[]}'],
    ["a Date by its toJSON", { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ["what a toJSON returns", { t: new Celsius(20) }, '{"t":{"degrees":20}}'],
    ["a URL by its toJSON", [new URL("http://a.example/b")], '["http://a.example/b"]'],
    ["the fields of an instance", { p: new Point() }, '{"p":{"x":1}}'],
    ["an object without a prototype", Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ["a key called __proto__", JSON.parse('{"v":{"__proto__":1},"w":{}}'), '{"v":{"__proto__":1},"w":{}}'],
    ["boxed values", [Object(1), Object("a"), Object(true)], '[1,"a",true]'],
    ["the same object twice", ((a) => [a, a, new Date(0)])({ n: 1 }), '[{"n":1},{"n":1},"1970-01-01T00:00:00.000Z"]'],
  ])("%s", (_what, record, line) => {
    expect(linesOf([record, record])).toBe(`${line}\n${line}\n`);
  });

  it("gives plain JSON values the bytes of JSON.stringify", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), (records) => {
        expect(linesOf(records)).toBe(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
      }),
    );
  });

  it("gives anything it takes the value that it had, and refuses the rest", () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
      withNullPrototype: true,
    });
    fc.assert(
      fc.property(anything, (record) => {
        const written = refusal(record);
        if (typeof written !== "string") expect(written).toMatchObject({ code: "BAD_RECORD" });
        else expect(JSON.parse(written)).toEqual(plainOf(record));
      }),
    );
  });
});

/** What a reader should get: written apart from the writer, for the values that it may take. */
function plainOf(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (ArrayBuffer.isView(value)) return plainOf(Array.from(value as Float32Array));
  if (Array.isArray(value)) return Array.from(value, plainOf);
  if (Object.is(value, -0)) return 0;
  if (typeof value !== "object" || value === null) {
    if (typeof value === "number" && !Number.isFinite(value)) throw new Error("it should have been refused");
    return value;
  }
  if (value instanceof Map || value instanceof Set) throw new Error("it should have been refused");
  const plain: Record<string, unknown> = Object.create(null);
  for (const [key, inner] of Object.entries(value)) plain[key] = plainOf(inner);
  return JSON.parse(JSON.stringify(plain));
}

describe("a JSONL writer refuses", () => {
  it.each<[string, unknown, string, RegExp]>([
    ["NaN", { feats: [{}, {}, {}, { mean: Number.NaN }] }, "result.feats[3].mean is NaN", /nonFinite: "null"/],
    ["Infinity", { a: Number.POSITIVE_INFINITY }, "result.a is Infinity", /nonFinite/],
    ["a number that is the result", Number.NEGATIVE_INFINITY, "result is -Infinity", /nonFinite/],
    ["NaN in a typed array", { v: new Float32Array([1, Number.NaN]) }, "result.v[1] is NaN", /nonFinite/],
    ["a boxed NaN", { v: Object(Number.NaN) }, "result.v is NaN", /nonFinite/],
    ["NaN from a toJSON", { t: new Celsius(Number.NaN) }, "result.t.degrees is NaN", /nonFinite/],
    ["a Date that is none", { at: new Date(Number.NaN) }, "result.at is an invalid Date", /Date/],
    ["a Map", { m: new Map([["a", 1]]) }, "result.m is a Map", /Object\.fromEntries/],
    ["a Set", [new Set([1])], "result[0] is a Set", /\[\.\.\.set\]/],
    ["an Error", new TypeError("no"), "result is a TypeError", /[Tt]hrow it/],
    ["an Error with fields", { e: Object.assign(new Error("no"), { code: 5 }) }, "result.e is an Error", /[Tt]hrow it/],
    ["a RegExp", { "a b": /x/ }, 'result["a b"] is a RegExp', /toJSON/],
    ["a Promise", { p: Promise.resolve(1) }, "result.p is a Promise", /await/],
    ["a function", { f() {} }, "result.f is the function f", /leave it out/i],
    ["a symbol", { s: Symbol("x") }, "result.s is the symbol Symbol(x)", /leave it out/i],
    ["a bigint", { n: 10n }, "result.n is the bigint 10", /String/],
    ["a BigInt64Array", { n: new BigInt64Array(2) }, "result.n is a BigInt64Array", /String/],
    ["an ArrayBuffer", { b: new ArrayBuffer(4) }, "result.b is an ArrayBuffer", /Uint8Array/],
    ["a DataView", { b: new DataView(new ArrayBuffer(4)) }, "result.b is a DataView", /Uint8Array/],
    ["undefined in an object", { a: 1, b: undefined }, "result.b is undefined", /null/],
    ["undefined in an array", { a: [1, undefined] }, "result.a[1] is undefined", /null/],
    // biome-ignore lint/suspicious/noSparseArray: a hole is what is refused.
    ["a hole in an array", [1, , 2], "result[1] is undefined", /null/],
    ["an object that holds itself", cycle, "result.above.list[0] is result again", /holds itself/],
    ["an instance without fields", { s: new Sealed() }, "result.s is a Sealed", /toJSON/],
    ["an iterator", { i: [1].values() }, "result.i is an Array Iterator", /toJSON|array/],
    ["an object with inherited fields", { o: Object.create({ a: 1 }) }, "result.o is", /toJSON/],
  ])("%s", (_what, record, path, hint) => {
    const error = refusal(record);
    expect(error).toMatchObject({ code: "BAD_RECORD", hint: expect.stringMatching(hint) });
    expect((error as Error).message).toContain(path);
  });

  it("a value in a record that is alike in form to those before it", () => {
    const dir = temporaryFolder();
    const writer = jsonlWriter(dir);
    writer.write({ id: 1, mean: 0.5 });
    expect(() => writer.write({ id: 2, mean: Number.NaN })).toThrow("result.mean is NaN");
    expect(() => writer.write({ id: 2, mean: undefined })).toThrow("result.mean is undefined");
    writer.write({ id: 3, mean: 0.25 });
    writer.close();
    expect(readFileSync(join(dir, "records.jsonl"), "utf8")).toBe('{"id":1,"mean":0.5}\n{"id":3,"mean":0.25}\n');
  });

  it("values nested too deep to be written", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 200_000; i++) deep = [deep];
    expect(refusal(deep)).toMatchObject({ code: "BAD_RECORD" });
  });

  it("says what a getter or a toJSON has thrown", () => {
    const record = {
      toJSON() {
        throw new Error("not today");
      },
    };
    expect(refusal({ record })).toMatchObject({ code: "BAD_RECORD", message: expect.stringContaining("not today") });
  });
});

describe('nonFinite: "null"', () => {
  it("writes NaN and the infinities as null, in arrays of numbers too", () => {
    const records = [
      { a: Number.NaN, b: [Number.POSITIVE_INFINITY, 1] },
      { v: new Float32Array([1, Number.NaN]) },
      Number.NEGATIVE_INFINITY,
    ];
    expect(linesOf(records, { nonFinite: "null" })).toBe('{"a":null,"b":[null,1]}\n{"v":[1,null]}\nnull\n');
  });

  it("refuses everything else", () => {
    expect(() => linesOf([{ m: new Map() }], { nonFinite: "null" })).toThrow("result.m is a Map");
    expect(() => linesOf([{ at: new Date(Number.NaN) }], { nonFinite: "null" })).toThrow("an invalid Date");
  });

  it("is checked", () => {
    const options = { nonFinite: "zero" as "null" };
    expect(() => linesOf([1], options)).toThrow(expect.objectContaining({ code: "BAD_OPTION" }));
  });
});
