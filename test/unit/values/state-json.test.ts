import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MillraceError } from "../../../src/errors/errors.ts";
import { decodeState, describeKind, encodeState, isPlainObject } from "../../../src/values/state-json.ts";

class Counter {
  count = 0;
}

const typedArrays: fc.Arbitrary<unknown>[] = [
  fc.float64Array(),
  fc.float32Array(),
  fc.int32Array(),
  fc.uint32Array(),
  fc.int16Array(),
  fc.uint16Array(),
  fc.int8Array(),
  fc.uint8Array(),
  fc.bigInt64Array(),
  fc.bigUint64Array(),
];
// JSON writes -0 as 0; the test below is about that alone.
const numbers = fc.double().map((value) => (value === 0 ? 0 : value));
const { value: states } = fc.letrec((tie) => ({
  leaf: fc.oneof(fc.constant(null), fc.boolean(), fc.string({ unit: "binary" }), numbers, fc.bigInt(), ...typedArrays),
  value: fc.dictionary(fc.string(), fc.oneof(tie("leaf"), tie("value"), fc.array(tie("leaf"))), { maxKeys: 6 }),
}));

const circular: { me?: object } = {};
circular.me = circular;

const roundTrip = (state: object) => decodeState(encodeState(state));

describe("a shard's state", () => {
  it("comes back as it was", () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(roundTrip(state as object)).toEqual(state);
      }),
    );
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2n ** 70n])("may hold %s", (value) => {
    expect(roundTrip({ value })).toEqual({ value });
  });

  it("may hold a view into the middle of a buffer", () => {
    const sums = new Float64Array([1, 2, 3, 4]).subarray(1, 3);
    expect(roundTrip({ sums })).toEqual({ sums: new Float64Array([2, 3]) });
  });

  it("may hold a Buffer, which comes back as bytes", () => {
    expect(roundTrip({ bytes: Buffer.from("ab") })).toEqual({ bytes: Uint8Array.from([97, 98]) });
  });

  it("loses keys that are undefined", () => {
    expect(Object.keys(roundTrip({ a: 1, b: undefined }))).toEqual(["a"]);
  });

  it("keeps the sign of -0", () => {
    expect(roundTrip({ value: -0 })).toEqual({ value: -0 });
  });

  it("keeps an undefined in an array, or refuses it", () => {
    expect(roundTrip({ list: [1, undefined] })["list"]).not.toEqual([1, null]);
  });

  it("keeps an object of the user's that has the machinery's own key", () => {
    const state = { value: { $millrace: "number", value: "7" } };
    expect(roundTrip(state)).toEqual(state);
  });

  it.each<[string, object, string]>([
    ["a WeakMap", { speakers: { seen: new WeakMap() } }, "state.speakers.seen is a WeakMap"],
    ["a function", { hooks: [1, function onItem() {}] }, "state.hooks[1] is the function onItem"],
    ["an instance of a class", { counter: new Counter() }, "state.counter is a Counter"],
    ["an object that holds itself", circular, "state.me refers to an object that it is part of"],
    ["a symbol", { key: Symbol("k") }, "state.key is the symbol Symbol(k)"],
    ["an array of clamped bytes", { pixels: [new Uint8ClampedArray(2)] }, "state.pixels[0] is a Uint8ClampedArray"],
    ["a data view", { view: new DataView(new ArrayBuffer(2)) }, "state.view is a DataView"],
  ])("refuses %s and names the path", (_name, state, message) => {
    expect(() => encodeState(state)).toThrow(expect.objectContaining({ code: "STATE_NOT_JSON" }));
    expect(() => encodeState(state)).toThrow(message);
    expect(() => encodeState(state)).toThrow(MillraceError);
  });
});

describe("isPlainObject", () => {
  it.each([[{}], [Object.create(null)]])("takes an object literal", (value) => {
    expect(isPlainObject(value)).toBe(true);
  });

  it.each([[[]], [new Counter()], [null], ["text"], [new Map()]])("does not take %s", (value) => {
    expect(isPlainObject(value)).toBe(false);
  });
});

describe("describeKind", () => {
  it.each<[unknown, string]>([
    [null, "null"],
    [undefined, "undefined"],
    [[1, 2], "an array of 2"],
    [{}, "an object"],
    [new Counter(), "a Counter"],
    [() => 1, "a function"],
    ["text", '"text"'],
    ["x".repeat(50), `"${"x".repeat(40)}…"`],
    [1.5, "1.5"],
    [true, "the boolean true"],
    [5n, "the bigint 5"],
  ])("says what %s is", (value, words) => {
    expect(describeKind(value)).toBe(words);
  });
});
