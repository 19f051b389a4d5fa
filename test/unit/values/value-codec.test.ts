import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeInstance } from "../../../src/values/make-instance.ts";
import { fromPlainValues, toPlainValues } from "../../../src/values/state-json.ts";

const refuse = (_value: unknown, path: string, oddness: string): never => {
  throw new Error(`${path}: ${oddness}`);
};
const roundTrip = (value: unknown) =>
  fromPlainValues(JSON.parse(JSON.stringify(toPlainValues(value, "value", refuse))));

// toEqual takes undefined keys, holes and prototypes lightly, and isDeepStrictEqual the order of keys.
function isSame(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b) && isDeepStrictEqual(keysIn(a), keysIn(b));
}
function keysIn(value: unknown): unknown {
  if (value instanceof Map || value instanceof Set) return [...value].map(keysIn);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return undefined;
  return Object.entries(value).map(([key, inner]) => [key, keysIn(inner)]);
}

const holes = fc
  .array(fc.option(fc.integer(), { nil: undefined }))
  .map((list) =>
    list.reduce<unknown[]>((sparse, n, i) => (n === undefined ? sparse : Object.assign(sparse, { [i]: n })), []),
  );
const { value: values } = fc.letrec((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom<unknown>(null, undefined, -0, Number.NaN, Number.POSITIVE_INFINITY),
    fc.boolean(),
    fc.string({ unit: "binary" }),
    fc.double(),
    fc.bigInt(),
    fc.float32Array(),
    fc.bigUint64Array(),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    fc.date({ noInvalidDate: false }),
    fc.constantFrom(/a+/giu, /[\]/]/, /(?:)/),
    fc.webUrl().map((url) => new URL(url)),
    holes,
  ),
  key: fc.oneof(fc.string(), fc.constantFrom("$millrace", "__proto__", "constructor", "0", "toJSON")),
  value: fc.oneof(
    { maxDepth: 4 },
    tie("leaf"),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(tie("key") as fc.Arbitrary<string>, tie("value"), { maxKeys: 4 }),
    fc.dictionary(tie("key") as fc.Arbitrary<string>, tie("value"), { maxKeys: 4, noNullPrototype: true }),
    fc.array(fc.tuple(tie("value"), tie("value")), { maxLength: 3 }).map((entries) => new Map(entries)),
    fc.array(tie("value"), { maxLength: 3 }).map((entries) => new Set(entries)),
    // The same object in several places.
    tie("value").map((shared) => [shared, { again: shared }, new Map([[shared, shared]])]),
  ),
}));

describe("values that are handed to a worker", () => {
  it("come back as they were", () => {
    fc.assert(
      fc.property(values, (value) => isSame(roundTrip([value]), [value])),
      { numRuns: 500 },
    );
  });

  it("come back as one object where they were one", () => {
    fc.assert(
      fc.property(values, values, (before, shared) => {
        const object = { shared };
        const [, first, { second }, map] = roundTrip([before, object, { second: object }, new Map([[object, 1]])]) as [
          unknown,
          object,
          { second: object },
          Map<object, number>,
        ];
        return first === second && map.get(first) === 1 && isSame(first, object);
      }),
    );
  });

  it("come back as two objects where they were two", () => {
    const [a, b] = roundTrip([{ n: 1 }, { n: 1 }]) as [object, object];
    expect(a).not.toBe(b);
  });

  it("keep the lastIndex of a pattern", () => {
    const pattern = /a/g;
    pattern.lastIndex = 3;
    expect((roundTrip(pattern) as RegExp).lastIndex).toBe(3);
  });

  const me: { inner: { me?: object } } = { inner: {} };
  me.inner.me = me;
  it.each<[string, unknown, string]>([
    ["an object that holds itself", me, "value.inner.me: circular"],
    ["a function", { a: [() => 1] }, "value.a[0]: kind"],
    ["a symbol", [Symbol("a")], "value[0]: kind"],
    ["a key that is a symbol", { [Symbol("a")]: 1 }, "value: property"],
    ["a hidden property", { a: Object.defineProperty({}, "b", { value: 1 }) }, "value.a: property"],
    ["an accessor", Object.defineProperty({}, "b", { get: () => 1, enumerable: true }), "value: property"],
    ["a name beside the elements of an array", { a: /a/.exec("a") }, "value.a: property"],
    ["a Map with a property", Object.assign(new Map(), { a: 1 }), "value: property"],
    ["an array of a class of its own", new (class List extends Array {})(), "value: kind"],
    ["a Map of a class of its own", new (class Table extends Map {})(), "value: kind"],
    ["an instance", new (class Counter {})(), "value: kind"],
    ["a boxed number", Object(1), "value: kind"],
    ["a data view", new DataView(new ArrayBuffer(1)), "value: kind"],
    ["a promise", Promise.resolve(), "value: kind"],
  ])("are refused by their path: %s", (_what, value, message) => {
    expect(() => roundTrip(value)).toThrow(message);
  });

  it("are refused where a newer version has written them", () => {
    expect(() => fromPlainValues({ a: { $millrace: "Tensor" } })).toThrow(
      expect.objectContaining({ code: "RUN_FOREIGN" }),
    );
  });

  it.each([
    [{ $millrace: "number", value: {} }],
    [{ $millrace: "bigint", value: "1x" }],
    [{ $millrace: "same", as: 7 }],
    [{ $millrace: "same", as: "length" }],
    [{ $millrace: "object" }],
    [{ $millrace: "bare", value: null }],
    [{ $millrace: "sparse", values: { length: -1 }, holes: [] }],
    [{ $millrace: "sparse", values: [1], holes: 5 }],
    [{ $millrace: "Map", entries: [1] }],
    [{ $millrace: "Map" }],
    [{ $millrace: "Set", values: "ab" }],
    [{ $millrace: "Date", time: { toString: 1 } }],
    [{ $millrace: "RegExp", source: "(", flags: "", lastIndex: 0 }],
    [{ $millrace: "RegExp", source: "a", flags: "", lastIndex: "0" }],
    [{ $millrace: "URL", href: "no url" }],
    [{ $millrace: "Buffer", base64: 5 }],
    [{ $millrace: "Float32Array", base64: "AAA=" }],
    [{ $millrace: "instance", module: 1, name: "A", json: 0 }],
  ])("are refused where they are damaged: %j", (mark) => {
    expect(() => fromPlainValues({ a: mark })).toThrow(
      expect.objectContaining({ code: "RUN_DAMAGED", message: expect.stringContaining(`"${mark.$millrace}"`) }),
    );
  });

  it("are refused where their kind is no text", () => {
    expect(() => fromPlainValues({ $millrace: { toString: 1 } })).toThrow(
      expect.objectContaining({ code: "RUN_DAMAGED", message: expect.stringContaining('the kind "object"') }),
    );
  });

  it("are refused where they are nested too deeply to be read", () => {
    const json = `${'{"$millrace":"Set","values":['.repeat(100_000)}${"]}".repeat(100_000)}`;
    expect(() => fromPlainValues(JSON.parse(json))).toThrow(/nested too deeply/);
  });
});

class Words {
  static readonly module: string = "file:///words.mjs";
  readonly list: readonly string[];
  constructor(list: readonly string[]) {
    this.list = list;
  }
  toJSON(): unknown {
    return { list: this.list };
  }
  static from({ list }: { list: readonly string[] }) {
    return new Words(list);
  }
}

describe("an instance with toJSON and from", () => {
  it("is written down by its module, its name and its JSON", () => {
    expect(toPlainValues(new Words(["a"]), "value", refuse)).toEqual({
      $millrace: "instance",
      module: "file:///words.mjs",
      name: "Words",
      json: { list: ["a"] },
    });
  });

  it("is made again", () => {
    const plain = toPlainValues({ words: [new Words(["a"])] }, "value", refuse);
    const made = fromPlainValues(plain, { onInstance: (_reference, json) => makeInstance(Words as never, json) });
    expect(made).toEqual({ words: [new Words(["a"])] });
  });

  it.each<[string, () => unknown]>([
    ["another class", () => ({ list: ["a"] })],
    ["other contents", () => new Words([])],
    ["a promise", () => Promise.resolve(new Words(["a"]))],
  ])("is refused where from gives %s", (_what, from) => {
    class Wrong extends Words {}
    const found = Object.assign(Wrong, { module: "file:///words.mjs", from });
    expect(() => makeInstance(found as never, { list: ["a"] })).toThrow(/does not make again/);
  });

  it.each([
    ["has its module from the class it extends", class Heir extends Words {}],
    [
      "has no from",
      class Sender extends Words {
        static override readonly module = "file:///a.mjs";
        static override from = undefined as never;
      },
    ],
  ])("is refused where its class %s", (_what, made) => {
    expect(() => roundTrip(new made([]))).toThrow("value: kind");
  });
});
