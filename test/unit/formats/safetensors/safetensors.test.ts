import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toByteSource } from "../../../../src/formats/byte-source.ts";
import { type DType, layouts, type NdArray } from "../../../../src/formats/nd-array.ts";
import { encodeSafetensors } from "../../../../src/formats/safetensors/encode-safetensors.ts";
import { readSafetensors } from "../../../../src/formats/safetensors/read-tensor.ts";
import { openSafetensors, writeSafetensorsFile } from "../../../../src/formats/safetensors/safetensors-file.ts";
import { golden, goldenJson } from "../../../support/formats/format-files.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const dtypes = (Object.keys(layouts) as DType[]).filter((dtype) => dtype !== "complex128");
const arrays: fc.Arbitrary<NdArray> = fc
  .tuple(
    fc.constantFrom(...dtypes),
    fc.array(fc.nat(4), { maxLength: 3 }),
    fc.uint8Array({ minLength: 1024, maxLength: 1024 }),
  )
  .map(([dtype, shape, noise]) => {
    const count = shape.reduce((a, b) => a * b, 1);
    const data = new layouts[dtype].arrayClass(count * layouts[dtype].parts);
    new Uint8Array(data.buffer).set(noise.subarray(0, data.byteLength));
    return { dtype, shape, data } as NdArray;
  });
const names = fc
  .oneof(fc.string(), fc.constantFrom("1", "__proto__", "constructor", "größe"))
  .filter((name) => name !== "__metadata__");
const files = fc.uniqueArray(fc.tuple(names, arrays), { selector: ([name]) => name, maxLength: 6 });

/** A file with this header and this number of data bytes. */
function fileOf(header: unknown, dataBytes: number): Uint8Array {
  const json = Buffer.from(typeof header === "string" ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, Buffer.alloc(dataBytes)]);
}

const open = (bytes: Uint8Array) => readSafetensors(toByteSource(bytes, "x.safetensors"));

describe("readSafetensors", () => {
  const bytes = golden("safetensors/all.safetensors");

  it("reads the golden file", () => {
    const file = open(bytes);
    const expected =
      goldenJson<Record<string, { type: string; shape: number[]; values: (number | string)[] | null }>>(
        "safetensors/expected.json",
      );
    expect(file.metadata).toEqual({ format: "pt", größe: "klein" });
    expect([...file.tensors.keys()].sort()).toEqual(Object.keys(expected).sort());
    for (const [name, { type, shape, values }] of Object.entries(expected)) {
      expect(file.tensors.get(name)).toMatchObject({ type, shape });
      if (values === null) continue;
      const array = file.read(name);
      expect(array.shape).toEqual(shape);
      expect(Array.from(array.data as ArrayLike<number | bigint>, String)).toEqual(values.map(String));
    }
  });

  it("gives the bytes of types that no array holds", () => {
    expect([...open(bytes).readBytes("fp8")]).toEqual([0x38, 0xb8]);
    expect(() => open(bytes).read("fp8")).toThrowError(/no array holds the type F8_E4M3[\s\S]*readBytes/);
  });

  it("names the tensors that are there when one is not", () => {
    expect(() => open(bytes).read("weight")).toThrowError(/has no tensor "weight"[\s\S]*"weights"/);
  });

  it("refuses every cut of the golden file", () => {
    for (let length = 0; length < bytes.length; length++) {
      expect(() => open(bytes.subarray(0, length))).toThrowError(
        expect.objectContaining({ code: "BAD_FILE", message: expect.stringMatching(/^x\.safetensors, offset \d+: /) }),
      );
    }
  });

  const f32 = (shape: unknown, offsets: unknown) => ({ dtype: "F32", shape, data_offsets: offsets });
  it.each<[string, Uint8Array, string]>([
    ["a header of absurd length", Buffer.from("ffffffffffffff7f", "hex"), "the header should have"],
    ["a header longer than the file", fileOf("{}", 0).subarray(0, 9), "the header needs 2 bytes, and 1 are left"],
    ["a header that is no object", fileOf("[]", 0), "should begin with {"],
    ["a header that is not JSON", fileOf("{a}", 0), "is not JSON"],
    ["a header that is not UTF-8", fileOf("{}", 0).with(9, 0xff), "is not UTF-8"],
    [
      "a name that comes twice",
      fileOf('{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"\\u0061":1}', 0),
      '"a" twice',
    ],
    ["metadata that are no texts", fileOf({ __metadata__: { a: 1 } }, 0), "__metadata__"],
    ["an entry that is no object", fileOf({ a: 1 }, 0), "something else than an object"],
    ["an unknown type", fileOf({ a: { dtype: "F33", shape: [1], data_offsets: [0, 4] } }, 4), "unknown type"],
    ["a negative length", fileOf({ a: f32([-1], [0, 4]) }, 4), "a shape that is not"],
    ["a fraction", fileOf({ a: f32([0.5], [0, 2]) }, 2), "a shape that is not"],
    ["an absurd shape", fileOf({ a: f32([2 ** 40, 2 ** 40], [0, 4]) }, 4), "a shape that no file holds"],
    ["a size that does not fit", fileOf({ a: f32([2], [0, 4]) }, 4), "needs 8 bytes (F32, 2) and has 4"],
    ["offsets that are one", fileOf({ a: f32([1], [0]) }, 4), "data_offsets"],
    ["a hole", fileOf({ a: f32([1], [4, 8]) }, 8), "a hole before it"],
    ["an overlap", fileOf({ a: f32([2], [0, 8]), b: f32([1], [4, 8]) }, 8), "bytes in common"],
    ["data that are cut off", fileOf({ a: f32([2], [0, 8]) }, 7), "the file is cut off"],
    ["bytes after the data", fileOf({ a: f32([1], [0, 4]) }, 5), "bytes after the last tensor"],
  ])("refuses %s", (_, file, why) => {
    expect(() => open(file)).toThrowError(expect.objectContaining({ code: "BAD_FILE" }));
    expect(() => open(file)).toThrowError(why);
  });
});

describe("encodeSafetensors", () => {
  it("gives a file that is read back as what was written", () => {
    fc.assert(
      fc.property(files, (tensors) => {
        const file = open(encodeSafetensors(tensors, { metadata: { a: "b" } }));
        expect(file.metadata).toEqual({ a: "b" });
        expect(file.tensors.size).toBe(tensors.length);
        for (const [name, array] of tensors) {
          const back = file.read(name);
          expect(back).toMatchObject({ dtype: array.dtype, shape: array.shape });
          expect(Buffer.compare(new Uint8Array(back.data.buffer), new Uint8Array(array.data.buffer))).toBe(0);
        }
      }),
    );
  });

  it("puts every tensor at a multiple of its element's size", () => {
    fc.assert(
      fc.property(files, (tensors) => {
        const file = open(encodeSafetensors(tensors));
        for (const [name, { dtype }] of tensors)
          expect(file.tensors.get(name)!.offset % layouts[dtype].arrayClass.BYTES_PER_ELEMENT).toBe(0);
      }),
    );
  });

  it("gives the same bytes in whatever order tensors come", () => {
    const a: [string, NdArray] = ["a", { dtype: "float32", shape: [1], data: Float32Array.of(1) }];
    const b: [string, NdArray] = ["b", { dtype: "int64", shape: [], data: BigInt64Array.of(2n) }];
    expect(Buffer.compare(encodeSafetensors([a, b]), encodeSafetensors([b, a]))).toBe(0);
  });

  it("refuses names that come twice or are reserved, and shapes that do not fit", () => {
    const one: NdArray = { dtype: "uint8", shape: [1], data: Uint8Array.of(1) };
    const refused = expect.objectContaining({ code: "BAD_RECORD" });
    expect(() =>
      encodeSafetensors([
        ["a", one],
        ["a", one],
      ]),
    ).toThrowError(refused);
    expect(() => encodeSafetensors([["__metadata__", one]])).toThrowError(refused);
    expect(() => encodeSafetensors([["a", { ...one, shape: [2] }]])).toThrowError(refused);
    const complex: NdArray = { dtype: "complex128", shape: [1], data: Float64Array.of(1, 2) };
    expect(() => encodeSafetensors([["a", complex]])).toThrowError("is complex128, for which the format has no type");
  });
});

describe("writeSafetensorsFile", () => {
  const vector = (i: number): NdArray => ({ dtype: "float32", shape: [3], data: Float32Array.of(i, i + 1, i + 2) });

  it("writes tensors as they come, and leaves only the file", async () => {
    const folder = temporaryFolder();
    async function* tensors(): AsyncGenerator<[string, NdArray]> {
      for (let i = 0; i < 1000; i++) yield [`utt${i}`, vector(i)];
    }
    await writeSafetensorsFile(join(folder, "x.safetensors"), tensors(), { metadata: { what: "vectors" } });
    expect(readdirSync(folder)).toEqual(["x.safetensors"]);
    const file = openSafetensors(join(folder, "x.safetensors"));
    expect(file.tensors.size).toBe(1000);
    expect(file.read("utt123")).toEqual(vector(123));
    file.close();
  });

  it("leaves nothing behind when a tensor is refused", async () => {
    const folder = temporaryFolder();
    const bad: [string, NdArray][] = [
      ["a", vector(1)],
      ["a", vector(2)],
    ];
    await expect(writeSafetensorsFile(join(folder, "x"), bad)).rejects.toMatchObject({ code: "BAD_RECORD" });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("closes a file that it refuses to read", () => {
    const path = join(temporaryFolder(), "x");
    writeFileSync(path, "no");
    const openFiles = () => (existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0);
    const before = openFiles();
    expect(() => openSafetensors(path)).toThrowError(`${path}, offset 0: the length of the header needs 8 bytes`);
    expect(openFiles()).toBe(before);
  });

  it("is read by another reader", async (context) => {
    if (spawnSync("python3", ["--version"]).status !== 0) context.skip("python3 is missing");
    const path = join(temporaryFolder(), "x.safetensors");
    await writeSafetensorsFile(
      path,
      [
        ["grün", vector(1)],
        ["1", { dtype: "bool", shape: [], data: Uint8Array.of(1) }],
      ],
      {
        metadata: { a: "ü" },
      },
    );
    const script = fileURLToPath(new URL("../../../fixtures/formats/read-formats.py", import.meta.url));
    const { stdout, stderr } = spawnSync("python3", [script, "safetensors", path], { encoding: "utf8" });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({
      metadata: { a: "ü" },
      tensors: {
        grün: { dtype: "F32", shape: [3], hex: "0000803f0000004000004040" },
        1: { dtype: "BOOL", shape: [], hex: "01" },
      },
    });
    expect(readFileSync(path).length).toBeGreaterThan(0);
  });
});
