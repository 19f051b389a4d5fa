import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bfloat16ToNumber,
  float16ToNumber,
  numberToBfloat16,
  numberToFloat16,
  toFloat32,
} from "../../../src/formats/half-floats.ts";
import { ndArray } from "../../../src/formats/nd-array.ts";
import { decodeNpy } from "../../../src/formats/npy/decode-npy.ts";
import { goldenBytes } from "../../support/formats/golden.ts";
import { askPython, pythonWith } from "../../support/formats/python.ts";

const allBits = Array.from({ length: 65_536 }, (_, bits) => bits);

describe("float16", () => {
  it("returns all of its bits but the kinds of NaN", () => {
    const numbers = allBits.filter((bits) => !Number.isNaN(float16ToNumber(bits)));
    expect(numbers.length).toBe(65_536 - 2 * 1023);
    expect(numbers.filter((bits) => numberToFloat16(float16ToNumber(bits)) !== bits)).toEqual([]);
    expect(float16ToNumber(numberToFloat16(Number.NaN))).toBeNaN();
  });

  it("has the well-known numbers", () => {
    expect([0x3c00, 0xc000, 0x7bff, 0x0001, 0x0400, 0x7c00, 0xfc00].map(float16ToNumber)).toEqual([
      1,
      -2,
      65_504,
      2 ** -24,
      2 ** -14,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ]);
    expect(numberToFloat16(-0)).toBe(0x8000);
  });

  it("rounds to the nearest, ties to even", () => {
    fc.assert(
      fc.property(fc.nat(0x7bfe), fc.double({ min: 0, max: 1, noNaN: true }), (bits, part) => {
        const [below, above] = [float16ToNumber(bits), float16ToNumber(bits + 1)];
        const number = below + (above - below) * part;
        const middle = (below + above) / 2;
        const nearest = number === middle ? bits + (bits % 2) : number < middle ? bits : bits + 1;
        expect(numberToFloat16(number)).toBe(nearest);
        expect(numberToFloat16(-number)).toBe(nearest | 0x8000);
      }),
      { numRuns: 2000 },
    );
  });

  const python = pythonWith("numpy");
  it.skipIf(python === undefined)("rounds as NumPy does (skipped without NumPy)", () => {
    const numbers = fc.sample(
      fc.oneof(
        fc.double({ noNaN: true }),
        fc.double({ min: -70_000, max: 70_000, noNaN: true }),
        fc.double({ min: -1e-4, max: 1e-4, noNaN: true }),
        fc.nat(0x7bff).map((bits) => (float16ToNumber(bits) + float16ToNumber(bits + 1)) / 2),
      ),
      5000,
    );
    const texts = numbers.map((number) => (Object.is(number, -0) ? "-0.0" : String(number).replace("Infinity", "inf")));
    const [expected] = askPython(python!, [{ kind: "half", path: "", numbers: texts }]);
    expect(numbers.map(numberToFloat16)).toEqual(expected);
  });
});

describe("bfloat16", () => {
  it("returns all of its bits but the kinds of NaN", () => {
    const numbers = allBits.filter((bits) => !Number.isNaN(bfloat16ToNumber(bits)));
    expect(numbers.filter((bits) => numberToBfloat16(bfloat16ToNumber(bits)) !== bits)).toEqual([]);
    expect(bfloat16ToNumber(numberToBfloat16(Number.NaN))).toBeNaN();
  });

  it("rounds ties to even, and beyond its largest to infinity", () => {
    expect(numberToBfloat16(1 + 2 ** -8)).toBe(0x3f80);
    expect(numberToBfloat16(1 + 3 * 2 ** -8)).toBe(0x3f82);
    expect(numberToBfloat16(3.4e38)).toBe(0x7f80);
  });
});

describe("toFloat32", () => {
  it("gives the numbers of every real type", () => {
    expect([...toFloat32(ndArray("float16", new Uint16Array([0x3c00, 0x4000])))]).toEqual([1, 2]);
    expect([...toFloat32(ndArray("bfloat16", new Uint16Array([0x3f80])))]).toEqual([1]);
    expect([...toFloat32(ndArray("int64", new BigInt64Array([-3n])))]).toEqual([-3]);
    expect([...toFloat32(ndArray("uint8", new Uint8Array([255])))]).toEqual([255]);
    const half = decodeNpy(goldenBytes("f2.npy"));
    expect(half.dtype === "float16" && [...toFloat32(half)].slice(0, 2)).toEqual([
      Number.NaN,
      Number.NEGATIVE_INFINITY,
    ]);
  });

  it("does not copy float32", () => {
    const array = ndArray("float32", new Float32Array(3));
    expect(toFloat32(array)).toBe(array.data);
  });
});
