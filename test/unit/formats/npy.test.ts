import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { crc32 } from "../../../src/bytes/crc32.ts";
import { toByteSource } from "../../../src/formats/byte-source.ts";
import { type DType, type NdArray, ndArray } from "../../../src/formats/nd-array.ts";
import { decodeNpy } from "../../../src/formats/npy/decode-npy.ts";
import { encodeNpy } from "../../../src/formats/npy/encode-npy.ts";
import { NpyAppender } from "../../../src/formats/npy/npy-appender.ts";
import { readNpy } from "../../../src/formats/npy/read-npy.ts";
import { readNpyHeader } from "../../../src/formats/npy/read-npy-header.ts";
import {
  type ArrayText,
  arrayOfText,
  arrayText,
  goldenBytes,
  goldenFiles,
  goldenPath,
} from "../../support/formats/golden.ts";
import { arrays } from "../../support/formats/random-arrays.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const golden = goldenFiles<ArrayText | { refused: string }>("npy");
const readable = golden.filter(({ holds }) => !("refused" in holds)).map(({ name }) => name);
const refused = golden.filter(({ holds }) => "refused" in holds).map(({ name }) => name);
const holdsOf = <T>(name: string) => golden.find((entry) => entry.name === name)!.holds as T;

/** A file with a header of its own. */
function withHeader(header: string, data = Buffer.alloc(0)): Buffer {
  const start = Buffer.from("\x93NUMPY\x01\x00\0\0", "latin1");
  start.writeUInt16LE(header.length, 8);
  return Buffer.concat([start, Buffer.from(header, "latin1"), data]);
}

describe("decodeNpy", () => {
  it.each(readable)("reads NumPy's %s in C order", (name) => {
    expect(arrayText(decodeNpy(goldenBytes(name), name))).toEqual(holdsOf(name));
  });

  it.each(refused)("refuses NumPy's %s and says what it holds", (name) => {
    const read = () => readNpy(goldenPath(name));
    expect(read).toThrow(expect.objectContaining({ code: "BAD_FILE" }));
    expect(read).toThrow(new RegExp(`${name}, offset \\d+: .*${holdsOf<{ refused: string }>(name).refused}`));
  });

  it("shares the memory of aligned bytes and copies others", () => {
    const bytes = new Uint8Array(encodeNpy(ndArray("float32", new Float32Array([1, 2, 3]))));
    expect(decodeNpy(bytes).data.buffer).toBe(bytes.buffer);
    const shifted = new Uint8Array(bytes.length + 1);
    shifted.set(bytes, 1);
    expect([...decodeNpy(shifted.subarray(1)).data]).toEqual([1, 2, 3]);
  });

  it.each([
    ["{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 12],
    ['{"shape": (3,), "fortran_order": False, "descr": "<f4"}', 12],
    ["{'descr': u'<f4', 'fortran_order': False, 'shape': (3L,), }\n", 12],
    ["  {'shape':(1,3),'descr':'=f4','fortran_order':True}  \n", 12],
    ["{'descr': '|b1', 'fortran_order': False, 'shape': (), }", 1],
    ["{'descr': '?', 'fortran_order': False, 'shape': (2, 2), }", 4],
  ])("understands the header %s", (header, bytes) => {
    expect(decodeNpy(withHeader(header, Buffer.alloc(bytes))).data.byteLength).toBe(bytes);
  });

  it.each([
    ["an expression", "{'descr': '<f4', 'fortran_order': False, 'shape': (1+2,), }"],
    ["a call", "__import__('os').system('true')"],
    ["a negative size", "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }"],
    ["a size that is no integer", "{'descr': '<f4', 'fortran_order': False, 'shape': (3.0,), }"],
    ["a size beyond 2^53", "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }"],
    ["a product beyond 2^53", "{'descr': '<f4', 'fortran_order': False, 'shape': (9007199254740991, 4), }"],
    ["a size that the file has not", "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000,), }"],
    ["a missing key", "{'descr': '<f4', 'shape': (3,), }"],
    ["a key twice", "{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (3,), }"],
    ["a key of its own", "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'x': 1}"],
    ["no end", "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)"],
    ["something behind its end", "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), } and more"],
    ["a text as its order", "{'descr': '<f4', 'fortran_order': 'False', 'shape': (3,), }"],
    ["a nested shape", "{'descr': '<f4', 'fortran_order': False, 'shape': ((3,),), }"],
    ["65 dimensions", `{'descr': '<f4', 'fortran_order': False, 'shape': (${"1, ".repeat(65)}), }`],
    ["an unknown element", "{'descr': '<q9', 'fortran_order': False, 'shape': (3,), }"],
    ["an element called constructor", "{'descr': 'constructor', 'fortran_order': False, 'shape': (3,), }"],
  ])("refuses a header with %s", (_what, header) => {
    const read = () => decodeNpy(withHeader(header, Buffer.alloc(12)), "x.npy");
    expect(read).toThrow(expect.objectContaining({ code: "BAD_FILE" }));
    expect(read).toThrow(/^x\.npy, offset \d+: /);
  });

  it("refuses bytes behind the array, a truncated file at any place, and other kinds of files", () => {
    const bytes = goldenBytes("f4.npy");
    expect(() => decodeNpy(Buffer.concat([bytes, bytes]), "two.npy")).toThrow("two.npy, offset 152: 152 bytes follow");
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeNpy(bytes.subarray(0, length))).toThrow(expect.objectContaining({ code: "BAD_FILE" }));
    }
    expect(() => decodeNpy(Buffer.from("RIFF....WAVEfmt "))).toThrow("not an npy file");
  });

  it("says what a file has before its data is read, Fortran order and byte order too", () => {
    const header = readNpyHeader(toByteSource(goldenBytes("fortran_complex_big_endian.npy")));
    expect(header).toEqual({
      dtype: "complex64",
      shape: [3, 4],
      fortranOrder: true,
      littleEndian: false,
      dataOffset: 128,
      dataBytes: 96,
    });
  });

  it("names a file that is not there, and a folder", () => {
    const folder = temporaryFolder();
    expect(() => readNpy(join(folder, "none.npy"))).toThrow(/none\.npy cannot be read: ENOENT/);
    expect(() => readNpy(folder)).toThrow("not a regular file");
  });
});

describe("encodeNpy", () => {
  // Others hold other orders, or a header that NumPy does not write any more.
  const same = readable.filter((name) => !/big_endian|fortran|version_|python_2/.test(name));

  it.each(same)("writes the bytes of NumPy's %s", (name) => {
    expect(encodeNpy(arrayOfText(holdsOf(name))).toString("hex")).toBe(goldenBytes(name).toString("hex"));
  });

  it("returns any array", () => {
    fc.assert(
      fc.property(arrays(["bfloat16"]), (array) => {
        expect(arrayText(decodeNpy(encodeNpy(array)))).toEqual(arrayText(array));
      }),
      { numRuns: 500 },
    );
  });

  it("refuses arrays that contradict themselves, and types that NumPy has not", () => {
    const bad = (array: unknown) => () => encodeNpy(array as NdArray);
    expect(bad({ dtype: "float32", shape: [4], data: new Float32Array(3) })).toThrow("needs 4 numbers, 3 are there");
    expect(bad({ dtype: "float32", shape: [3], data: new Float64Array(3) })).toThrow("needs a Float32Array");
    expect(bad({ dtype: "float32", shape: [-3], data: new Float32Array(3) })).toThrow("its shape is [-3]");
    expect(bad({ dtype: "float31", shape: [3], data: new Float32Array(3) })).toThrow('no element type "float31"');
    expect(bad(ndArray("bfloat16", new Uint16Array(2)))).toThrow("NumPy has no bfloat16");
  });
});

describe("an NpyAppender", () => {
  const rows = (from: number, count: number): NdArray<"float32"> =>
    ndArray(
      "float32",
      Float32Array.from({ length: count * 3 }, (_, i) => from * 3 + i),
      [count, 3],
    );

  it("writes what encodeNpy writes, row by row or several at once, and says its checksum", () => {
    const path = join(temporaryFolder(), "a.npy");
    const appender = new NpyAppender(path, { dtype: "float32", rowShape: [3] });
    appender.append(ndArray("float32", new Float32Array([0, 1, 2])));
    appender.append(rows(1, 2));
    appender.append(rows(3, 40_000));
    const closed = appender.close();
    const bytes = readFileSync(path);
    expect(bytes.equals(encodeNpy(rows(0, 40_003)))).toBe(true);
    expect(closed).toEqual({ rows: 40_003, bytes: bytes.length, crc32: crc32(bytes) });
    expect(appender.close()).toEqual(closed);
  });

  it("continues from any checkpoint, whatever came behind it, to the same bytes", () => {
    const path = join(temporaryFolder(), "a.npy");
    const options = { dtype: "float32" as DType, rowShape: [3] };
    fc.assert(
      fc.property(fc.nat(300), fc.nat(300), fc.nat(300), fc.boolean(), (before, lost, after, isClosed) => {
        const first = new NpyAppender(path, options);
        first.append(rows(0, before));
        const resume = JSON.parse(JSON.stringify(first.checkpoint()));
        first.append(rows(7, lost));
        if (isClosed) first.close();
        else first.checkpoint();
        const second = new NpyAppender(path, { ...options, resume });
        second.append(rows(before, after));
        const { crc32: sum } = second.close();
        const bytes = readFileSync(path);
        expect(bytes.equals(encodeNpy(rows(0, before + after)))).toBe(true);
        expect(sum).toBe(crc32(bytes));
        first.close();
      }),
      { numRuns: 100 },
    );
  });

  it("has no rows by its header until it is closed, also after one that was", () => {
    const path = join(temporaryFolder(), "a.npy");
    const options = { dtype: "float32" as DType, rowShape: [3] };
    const shapeOnDisk = () => readNpyHeader(toByteSource(readFileSync(path))).shape;
    const first = new NpyAppender(path, options);
    first.append(rows(0, 5));
    const resume = first.checkpoint();
    expect(shapeOnDisk()).toEqual([0, 3]);
    first.close();
    expect(shapeOnDisk()).toEqual([5, 3]);
    const second = new NpyAppender(path, { ...options, resume });
    expect(shapeOnDisk()).toEqual([0, 3]);
    second.close();
    expect(shapeOnDisk()).toEqual([5, 3]);
  });

  it("refuses rows of another kind and a checkpoint of another array", () => {
    const path = join(temporaryFolder(), "a.npy");
    const appender = new NpyAppender(path, { dtype: "float32", rowShape: [3] });
    const message = /a\.npy takes rows of float32 \[3\], not/;
    expect(() => appender.append(ndArray("float32", new Float32Array(4)))).toThrow(message);
    expect(() => appender.append(ndArray("float64", new Float64Array(3)))).toThrow(message);
    expect(() => appender.append(ndArray("float32", new Float32Array(12), [2, 2, 3]))).toThrow(message);
    const resume = appender.checkpoint();
    appender.close();
    truncateSync(path, 0);
    writeFileSync(path, "x");
    expect(() => new NpyAppender(path, { dtype: "float32", rowShape: [3], resume: { ...resume, rows: 1 } })).toThrow(
      "its checkpoint is of another kind of array",
    );
  });

  it("names the file that it cannot write", () => {
    const path = join(temporaryFolder(), "none", "a.npy");
    expect(() => new NpyAppender(path, { dtype: "float32", rowShape: [] })).toThrow(/a\.npy cannot be written: ENOENT/);
  });
});
