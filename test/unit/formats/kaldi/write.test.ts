import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toByteSource } from "../../../../src/formats/byte-source.ts";
import { encodeArkEntry, encodeKaldiValue } from "../../../../src/formats/kaldi/encode-ark-entry.ts";
import type { KaldiValue } from "../../../../src/formats/kaldi/kaldi-value.ts";
import { openArkWriter } from "../../../../src/formats/kaldi/open-ark-writer.ts";
import { openScp } from "../../../../src/formats/kaldi/open-scp.ts";
import { readArk } from "../../../../src/formats/kaldi/read-ark.ts";
import { golden, goldenJson } from "../../../support/formats/format-files.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const float32 = fc.float({ noNaN: false });
const keys = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
  .filter((key) => !/[\s\p{Cc}\p{Surrogate}]/u.test(key));
const shapes = fc.oneof(fc.tuple(fc.nat(9)), fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })));
const values: fc.Arbitrary<KaldiValue> = fc.oneof(
  fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), { maxLength: 9 }).map((numbers): KaldiValue => {
    return { dtype: "int32", shape: [numbers.length], data: Int32Array.from(numbers) };
  }),
  shapes.chain((shape) => {
    const length = shape.reduce((a, b) => a * b, 1);
    return fc.oneof(
      fc
        .float32Array({ minLength: length, maxLength: length })
        .map((data): KaldiValue => ({ dtype: "float32", shape, data })),
      fc
        .float64Array({ minLength: length, maxLength: length })
        .map((data): KaldiValue => ({ dtype: "float64", shape, data })),
    );
  }),
);

describe("encodeArkEntry", () => {
  it("gives bytes that are read back as what was written", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(keys, values), { maxLength: 5 }), (entries) => {
        const ark = Buffer.concat(entries.map(([key, value]) => encodeArkEntry(key, value).bytes));
        const back = [...readArk(toByteSource(ark))].map(({ key, value }) => [key, value]);
        expect(back).toEqual(entries);
      }),
    );
  });

  it("gives text that is read back as what was written, to the last bit", () => {
    fc.assert(
      fc.property(keys, values, (key, value) => {
        const textFloat = value.dtype === "float64" ? "float64" : "float32";
        const textKind = value.shape.length === 2 ? "matrix" : "vector";
        const { bytes } = encodeArkEntry(key, value, { text: true });
        const [entry] = [...readArk(toByteSource(bytes), { textFloat, textKind })];
        expect(entry).toMatchObject({ key, value: { dtype: value.dtype, shape: value.shape } });
        expect([...entry!.value.data]).toEqual([...value.data]);
      }),
    );
  });

  it("writes float32 in text with as few digits as give it back", () => {
    const text = (number: number) => {
      return Buffer.from(
        encodeKaldiValue({ dtype: "float32", shape: [1], data: Float32Array.of(number) }, { text: true }),
      ).toString();
    };
    expect(text(0.1)).toBe(" [ 0.1 ]\n");
    expect(text(16777217)).toBe(" [ 16777216 ]\n");
    fc.assert(
      fc.property(float32, (number) => {
        if (Number.isFinite(number)) expect(Math.fround(Number(text(number).slice(3, -3)))).toBe(number);
      }),
    );
  });

  it("gives the golden bytes", () => {
    const expected =
      goldenJson<Record<string, { dtype: "float32"; shape: number[]; values: number[]; offset: number }>>(
        "kaldi/expected.json",
      );
    const binary = golden("kaldi/binary.ark");
    for (const key of ["fm", "dm", "fv", "dv", "ints", "schlüssel-鍵"]) {
      const { dtype, shape, values: numbers, offset } = expected[key]!;
      const Data = { float32: Float32Array, float64: Float64Array, int32: Int32Array }[dtype];
      const { bytes, valueOffset } = encodeArkEntry(key, { dtype, shape, data: Data.from(numbers) as Float32Array });
      const start = offset - valueOffset;
      expect(Buffer.compare(bytes, binary.subarray(start, start + bytes.length))).toBe(0);
    }
  });

  it.each(["", "a b", "a\tb", "a\n", "\ud800", "a\0"])("refuses the key %j", (key) => {
    const value: KaldiValue = { dtype: "int32", shape: [0], data: new Int32Array(0) };
    expect(() => encodeArkEntry(key, value)).toThrowError(expect.objectContaining({ code: "BAD_RECORD" }));
  });

  it("refuses arrays that have no form in Kaldi", () => {
    const refused = expect.objectContaining({ code: "BAD_RECORD" });
    expect(() => encodeArkEntry("a", { dtype: "int16", shape: [1], data: Int16Array.of(1) })).toThrowError(refused);
    expect(() => encodeArkEntry("a", { dtype: "float32", shape: [], data: Float32Array.of(1) })).toThrowError(refused);
    expect(() => encodeArkEntry("a", { dtype: "float32", shape: [2], data: Float32Array.of(1) })).toThrowError(refused);
    expect(() => encodeArkEntry("a", { dtype: "int32", shape: [1, 1], data: Int32Array.of(1) })).toThrowError(refused);
  });
});

describe("openArkWriter", () => {
  const vector = (...numbers: number[]): KaldiValue => ({
    dtype: "float32",
    shape: [numbers.length],
    data: Float32Array.from(numbers),
  });

  it("writes an scp list that stays true when the folder is moved", () => {
    const folder = temporaryFolder();
    const scp = join(folder, "out", "lists", "feats.scp");
    const writer = openArkWriter(join(folder, "out", "data", "feats.1.ark"), { scp });
    const offsets = [writer.write("a", vector(1, 2)), writer.write("b", vector(3))];
    writer.close();
    expect(readFileSync(scp, "utf8")).toBe(
      `a ../data/feats.1.ark:${offsets[0]}\nb ../data/feats.1.ark:${offsets[1]}\n`,
    );
    renameSync(join(folder, "out"), join(folder, "moved"));
    const table = openScp(join(folder, "moved", "lists", "feats.scp"));
    expect([...table]).toEqual([
      ["a", vector(1, 2)],
      ["b", vector(3)],
    ]);
    expect(table.get("b")).toEqual(vector(3));
    table.close();
  });

  it("writes absolute paths where that is wanted", () => {
    const folder = temporaryFolder();
    const writer = openArkWriter(join(folder, "a.ark"), { scp: join(folder, "a.scp"), scpPaths: "absolute" });
    writer.write("a", vector(1));
    writer.close();
    expect(readFileSync(join(folder, "a.scp"), "utf8")).toBe(`a ${join(folder, "a.ark")}:2\n`);
  });

  it("says which file cannot be written and why", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "a.ark"));
    expect(() => openArkWriter(join(folder, "a.ark"))).toThrowError(
      expect.objectContaining({
        code: "STORE_IO",
        message: expect.stringMatching(/a\.ark cannot be written: EISDIR/),
      }),
    );
  });

  it("refuses to write after it was closed", () => {
    const writer = openArkWriter(join(temporaryFolder(), "a.ark"));
    writer.close();
    writer.close();
    expect(() => writer.write("a", vector(1))).toThrowError("after it was closed");
  });

  it("is read by another reader of archives and lists", (context) => {
    const script = fileURLToPath(new URL("../../../fixtures/formats/read-formats.py", import.meta.url));
    if (spawnSync("python3", ["--version"]).status !== 0) context.skip("python3 is missing");
    const folder = temporaryFolder();
    const written: [string, KaldiValue][] = [
      ["utt-ä", { dtype: "float32", shape: [2, 2], data: Float32Array.of(1.5, -2, 0.1, 3) }],
      ["b", { dtype: "float64", shape: [2], data: Float64Array.of(0.1, 1e300) }],
      ["c", { dtype: "int32", shape: [3], data: Int32Array.of(1, -2, 3) }],
      ["d", { dtype: "float64", shape: [1, 3], data: Float64Array.of(1, 2, 3) }],
    ];
    const writer = openArkWriter(join(folder, "x.ark"), { scp: join(folder, "x.scp") });
    for (const [key, value] of written) writer.write(key, value);
    writer.close();
    const { stdout, stderr } = spawnSync("python3", [script, "kaldi", join(folder, "x.scp")], { encoding: "utf8" });
    expect(stderr).toBe("");
    const expected = written.map(([key, { shape, data }]) => [key, { shape: [...shape], values: [...data] }]);
    expect(JSON.parse(stdout)).toEqual(Object.fromEntries(expected));
  });
});

describe("openScp", () => {
  it("reads lists of plain files, paths relative to another folder, and ranges", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "run"));
    const matrix = encodeKaldiValue({ dtype: "float32", shape: [2, 2], data: Float32Array.of(1, 2, 3, 4) });
    writeFileSync(join(folder, "run", "one mat"), matrix);
    writeFileSync(join(folder, "a.scp"), "a one mat\nb one mat[1:1]\nc one mat:0[:,1:1]\n");
    const table = openScp(join(folder, "a.scp"), { baseDir: join(folder, "run") });
    expect([...table].map(([key, { shape, data }]) => [key, shape, [...data]])).toEqual([
      ["a", [2, 2], [1, 2, 3, 4]],
      ["b", [1, 2], [3, 4]],
      ["c", [2, 1], [2, 4]],
    ]);
    expect(table.has("d")).toBe(false);
    expect(() => table.get("d")).toThrowError('has no key "d"');
    table.close();
  });

  it("keeps few files open, however many a list names", () => {
    const folder = temporaryFolder();
    const lines = Array.from({ length: 40 }, (_, i) => {
      writeFileSync(join(folder, `${i}.vec`), encodeKaldiValue({ dtype: "int32", shape: [1], data: Int32Array.of(i) }));
      return `k${i} ${i}.vec\n`;
    });
    writeFileSync(join(folder, "a.scp"), lines.join(""));
    const table = openScp(join(folder, "a.scp"));
    expect([...table].map(([, { data }]) => data[0])).toEqual(Array.from({ length: 40 }, (_, i) => i));
    expect(table.get("k0").data[0]).toBe(0);
    table.close();
  });

  it("never runs a command", () => {
    const folder = temporaryFolder();
    const mark = join(folder, "ran");
    writeFileSync(join(folder, "a.scp"), `a touch ${mark} |\nb |touch ${mark}\nc -\n`);
    expect(() => openScp(join(folder, "a.scp"))).toThrowError(
      /3 lines are wrong:\n {2}line 1: names a command .* never run.*\n {2}line 2: names a command.*\n {2}line 3: names the standard input/,
    );
    expect(existsSync(mark)).toBe(false);
  });

  it("names the file that is missing", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "a.scp"), "a gone.ark:12\n");
    expect(() => openScp(join(folder, "a.scp")).get("a")).toThrowError(
      expect.objectContaining({
        code: "BAD_FILE",
        message: expect.stringContaining("gone.ark cannot be read: ENOENT"),
      }),
    );
  });
});
