import { describe, expect, it } from "vitest";
import { toByteSource } from "../../../../src/formats/byte-source.ts";
import type { KaldiTextOptions } from "../../../../src/formats/kaldi/kaldi-value.ts";
import { readArk } from "../../../../src/formats/kaldi/read-ark.ts";
import { readArkFile } from "../../../../src/formats/kaldi/read-ark-file.ts";
import { readKaldiValue } from "../../../../src/formats/kaldi/read-kaldi-value.ts";
import { golden, goldenJson, goldenPath } from "../../../support/formats/format-files.ts";
import { sharedPath } from "../../../support/shared-path.ts";

interface Expected {
  readonly dtype: string;
  readonly shape: number[];
  readonly offset: number;
  readonly values: number[];
}

const expected = goldenJson<Record<string, Expected>>("kaldi/expected.json");
const binary = golden("kaldi/binary.ark");

function read(bytes: Uint8Array | string, options: KaldiTextOptions = {}) {
  return [...readArk(toByteSource(Buffer.from(bytes), "x.ark"), options)];
}

describe("readArk", () => {
  it.each(Object.keys(expected))("reads %s of the golden archive to the last bit", (key) => {
    const entry = read(binary).find((candidate) => candidate.key === key)!;
    const { dtype, shape, offset, values } = expected[key]!;
    expect(entry).toMatchObject({ offset, value: { dtype, shape } });
    expect([...entry.value.data]).toEqual(values);
  });

  it("reads the same from a file", () => {
    const keys = [...readArkFile(goldenPath("kaldi/binary.ark"))].map(({ key }) => key);
    expect(keys).toEqual(Object.keys(expected));
  });

  it("reads text: matrices, vectors, integers, empty ones and what is no number", () => {
    const entries = read(golden("kaldi/text.ark"));
    const shown = entries.map(({ key, value }) => [key, value.dtype, value.shape, [...value.data]]);
    expect(shown).toEqual([
      ["matrix", "float32", [2, 3], [1, 2.5, Math.fround(-3e-5), 4, Infinity, -Infinity]],
      ["vector", "float32", [3], [0.25, 1e10, -0]],
      ["ints", "int32", [3], [3, 1, -4]],
      ["no-ints", "int32", [0], []],
      ["empty", "float32", [0], []],
      ["nan", "float32", [1], [NaN]],
      ["crlf", "float32", [2], [7, 8]],
    ]);
  });

  it("takes text as the given kind, where its form does not show it", () => {
    expect(read("a  [ 1 2 ]\n", { textKind: "matrix" })[0]!.value.shape).toEqual([1, 2]);
    expect(read("a  [ ]\n", { textKind: "matrix" })[0]!.value.shape).toEqual([0, 0]);
    expect(read("a  [\n 1 2 ]\n", { textKind: "vector" })[0]!.value.shape).toEqual([2]);
    const [first] = read("a  [ 0.1 ]\n", { textFloat: "float64" });
    expect(first!.value).toMatchObject({ dtype: "float64", data: Float64Array.of(0.1) });
  });

  it("reads values larger than its window, across its ends", () => {
    const data = Float32Array.from({ length: 100_003 }, (_, i) => i);
    const header = Buffer.from("\0BFV \x04\0\0\0\0", "latin1");
    header.writeInt32LE(data.length, 6);
    const entry = Buffer.concat([header, new Uint8Array(data.buffer)]);
    const ark = Buffer.concat([Buffer.from("a "), entry, Buffer.from("b "), entry]);
    const entries = read(ark);
    expect(entries.map(({ key, offset }) => [key, offset])).toEqual([
      ["a", 2],
      ["b", 4 + entry.length],
    ]);
    expect(entries[1]!.value.data).toEqual(data);
  });

  it.each([
    ["a key without a value", "utt1", 0, "ends after a key"],
    ["bytes that are no key", "\x01\x02 x", 0, "a key is expected here"],
    ["an unknown kind", "a \0BXX 1234", 4, 'unknown kind of value: "XX"'],
    ["rows that promise more than the file has", `a \0BFM \x04\xff\xff\xff\x7f\x04\xff\xff\xff\x7f`, 17, "needs"],
    ["a negative length", "a \0BFV \x04\xff\xff\xff\xff", 8, "is negative"],
    ["a length of another size", "a \0BFV \x08\x01\0\0\0", 7, "should be an int32 of 4 bytes"],
    ["a vector of integers that is cut off", "a \0B\x04\x02\0\0\0\x04\x01\0\0\0", 9, "needs 10 bytes, and 5 are left"],
    ["an odd element", "a \0B\x04\x01\0\0\0\x05\x01\0\0\0", 9, "element 0 should be an int32"],
    ["a compressed matrix that is cut off", "a \0BCM2 \0\0\0\0\0\0\0\0\x02\0\0\0\x02\0\0\0abc", 24, "needs 8 bytes"],
    ["text without its end", "a  [ 1 2", 3, "its ] is missing"],
    ["rows of different lengths", "a  [\n 1 2\n 3 ]\n", 13, "row 1 has 1 numbers"],
    ["text that is no number", "a  [ 1 zwei ]\n", 7, '"zwei" is not a number'],
    ["a hexadecimal number", "a  [ 0x10 ]\n", 5, '"0x10" is not a number'],
    ["a float outside of brackets", "a 0.5\n", 2, "floats must be in [ ]"],
    ["an integer beyond 32 bits", "a 2147483648\n", 2, "is no int32"],
    ["something behind the value", "a  [ 1 ] 2\n", 9, "a line break should follow"],
  ])("refuses %s, naming file and offset", (_, bytes, offset, why) => {
    expect(() => read(Buffer.from(bytes, "latin1"))).toThrowError(
      expect.objectContaining({ code: "BAD_FILE", message: expect.stringContaining(`x.ark, offset ${offset}: `) }),
    );
    expect(() => read(Buffer.from(bytes, "latin1"))).toThrowError(why);
  });

  it("refuses every cut of the golden archive, but between entries", () => {
    const source = (length: number) => toByteSource(binary.subarray(0, length), "x.ark");
    const whole = new Set(Object.entries(expected).map(([key, { offset }]) => offset - Buffer.byteLength(`${key} `)));
    // The four bytes too many of an empty compressed matrix may be missing.
    const afterEmpty = expected["fm-empty"]!.offset - "fm-empty ".length;
    for (let length = 0; length < binary.length; length++) {
      const isWhole = whole.has(length) || (length < afterEmpty && length >= afterEmpty - 4);
      const keys = () => [...readArk(source(length))].length;
      if (isWhole) expect(keys()).toBeGreaterThanOrEqual(0);
      else expect(keys).toThrowError(expect.objectContaining({ code: "BAD_FILE" }));
    }
  });
});

describe("readKaldiValue", () => {
  it("reads at the offset that an scp line names", () => {
    for (const { offset, values } of Object.values(expected)) {
      expect([...readKaldiValue(toByteSource(binary), offset).data]).toEqual(values);
    }
  });

  it("refuses an offset behind the end", () => {
    expect(() => readKaldiValue(toByteSource(binary, "x.ark"), binary.length)).toThrowError(
      "x.ark, offset 1417: a value",
    );
  });
});

describe("archives that Kaldi wrote", () => {
  interface Summary {
    readonly shape: number[];
    readonly dtype: string;
    readonly first: number[];
    readonly last: number[];
    readonly sum: number;
  }
  const folder = sharedPath("data/formats/kaldi");
  const names = ["feats", "feats_compressed", "mini_librispeech2_mfcc_compressed", "conf", "ali", "ES2005a_xvectors"];

  it.skipIf(folder === undefined).each(names)(
    "%s (needs ../shared/data) is read with the values of another reader",
    async (name) => {
      const { readFileSync } = await import("node:fs");
      const index = JSON.parse(readFileSync(`${folder}/golden/index.json`, "utf8")) as Record<
        string,
        Record<string, Summary>
      >;
      const known = index[`${name}.ark`]!;
      let compared = 0;
      for (const { key, value } of readArkFile(`${folder}/golden/${name}.ark`)) {
        const summary = known[key];
        if (summary === undefined) continue;
        compared++;
        const numbers = Array.from(value.data as Float32Array);
        expect(value).toMatchObject({ dtype: summary.dtype, shape: summary.shape });
        // The other reader decompresses in float64: its last bit may be another one.
        const digits = name.includes("compressed") ? 4 : 12;
        for (const [i, first] of summary.first.entries()) expect(numbers[i]).toBeCloseTo(first, digits);
        for (const [i, last] of summary.last.entries())
          expect(numbers.at(i - summary.last.length)).toBeCloseTo(last, digits);
        const sum = numbers.reduce((a, b) => a + b, 0);
        expect(Math.abs(sum - summary.sum)).toBeLessThanOrEqual(1e-5 * Math.max(1, Math.abs(summary.sum)));
      }
      expect(compared).toBeGreaterThan(2);
    },
  );

  it.skipIf(folder === undefined).each([
    ["feats", 2],
    ["conf", 10],
    ["ali", 10],
  ])("%s (needs ../shared/data) is the same in text and binary", (name, count) => {
    const inBinary = new Map([...readArkFile(`${folder}/golden/${name}.ark`)].map(({ key, value }) => [key, value]));
    const inText = [...readArkFile(`${folder}/golden/${name}_ascii.ark`)];
    expect(inText.length).toBe(count);
    for (const { key, value } of inText) {
      const other = inBinary.get(key)!;
      expect(value.shape).toEqual(other.shape);
      for (let i = 0; i < value.data.length; i++) {
        // Kaldi's text has six or seven digits.
        const error = Math.abs((value.data[i] as number) - (other.data[i] as number));
        if (error > 1e-5 * Math.max(1, Math.abs(other.data[i] as number)))
          expect.fail(`${key}[${i}] is off by ${error}`);
      }
    }
  });
});
