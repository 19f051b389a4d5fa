import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type NdArray, ndArray } from "../../../src/formats/nd-array.ts";
import { decodePt } from "../../../src/formats/pt/decode-pt.ts";
import { encodePt } from "../../../src/formats/pt/encode-pt.ts";
import type { PtInput, PtValue } from "../../../src/formats/pt/pt-value.ts";
import { readPt } from "../../../src/formats/pt/read-pt.ts";
import { openZip } from "../../../src/formats/zip/open-zip.ts";
import { findEntryData, readZipEntry } from "../../../src/formats/zip/read-zip-entry.ts";
import { arrayText, goldenBytes, goldenFiles, goldenPath, ptText } from "../../support/formats/golden.ts";
import { arrays } from "../../support/formats/random-arrays.ts";
import { withPickle } from "../../support/formats/with-pickle.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const golden = goldenFiles<{ refused?: string }>("pt");
const readable = golden.filter(({ holds }) => holds.refused === undefined);
const refused = golden.filter(({ holds }) => holds.refused !== undefined);
const vector = ndArray("float32", new Float32Array([1, 2, 3]));

describe("decodePt", () => {
  it.each(readable)("reads PyTorch's $name from bytes and from a file", ({ name, bytes, holds }) => {
    expect(ptText(decodePt(bytes, { name }))).toEqual(holds);
    expect(ptText(readPt(goldenPath(name)))).toEqual(holds);
  });

  it.each(refused)("refuses PyTorch's $name and says why", ({ name, bytes, holds }) => {
    const read = () => decodePt(bytes, { name });
    expect(read).toThrow(
      expect.objectContaining({ code: "BAD_FILE", message: expect.stringContaining(holds.refused!) }),
    );
    expect(read).toThrow(new RegExp(`^${name}, offset \\d+: `));
  });

  it("shares the memory of the file, and one storage between the tensors on it", () => {
    const bytes = new Uint8Array(goldenBytes("shared_storage.pt"));
    const tensors = decodePt(bytes) as ReadonlyMap<string, NdArray>;
    expect(tensors.get("all")!.data.buffer).toBe(bytes.buffer);
    expect(tensors.get("square")!.data.byteOffset).toBe(tensors.get("all")!.data.byteOffset);
    expect(tensors.get("columns")!.data.buffer).not.toBe(bytes.buffer);
  });

  it("says where in the file a pickle names something that it must not", () => {
    const bytes = goldenBytes("hostile_system.pt");
    const offset = bytes.indexOf("cposix\nsystem\n");
    expect(() => decodePt(bytes, { name: "x.pt" })).toThrow(`x.pt, offset ${offset}: the pickle names "posix.system"`);
  });

  it("refuses a truncated file at any place", () => {
    const bytes = goldenBytes("vector.pt");
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodePt(bytes.subarray(0, length))).toThrow(expect.objectContaining({ code: "BAD_FILE" }));
    }
  });

  it("reads a tensor on plain bytes, as PyTorch 2 writes types that have no storage class", () => {
    const pickle =
      "\x80\x02ctorch._utils\n_rebuild_tensor_v3\n((X\x07\0\0\0storagectorch.storage\nUntypedStorage\n" +
      "X\x01\0\0\x000X\x03\0\0\0cpuK\x06tQK\x01K\x02\x85K\x01\x85\x89ccollections\nOrderedDict\n)Rctorch\nuint16\ntR.";
    const value = decodePt(withPickle(pickle, { "0": Buffer.from([1, 0, 2, 0, 3, 0]) })) as NdArray;
    expect(arrayText(value)).toEqual({ dtype: "uint16", shape: [2], hex: "02000300" });
  });
});

/** A tensor of the storage "0", whose count, offset, shape and strides are opcodes. */
function tensorPickle(count: string, offset: string, shape: string, strides: string): string {
  return (
    "\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x000X\x03\0\0\0cpu" +
    `${count}tQ${offset}${shape}${strides}\x89ccollections\nOrderedDict\n)RtR`
  );
}

describe("a pickle is refused that", () => {
  const four = { "0": Buffer.alloc(16) };
  const sound = tensorPickle("K\x04", "K\0", "K\x04\x85", "K\x01\x85");
  // Each list holds the one before it twice.
  const laughs = `]q\0K\x01a${Array.from({ length: 60 }, (_, i) => `](h${String.fromCharCode(i)}h${String.fromCharCode(i)}eq${String.fromCharCode(i + 1)}`).join("")}.`;
  // Many copies of one tensor in another order than the file's.
  const square = tensorPickle("M\0\x01", "K\0", "K\x10K\x10\x86", "K\x01K\x10\x86");

  it.each<[string, string, RegExp]>([
    [
      "says that a storage is larger than it is",
      tensorPickle("K\x05", "K\0", "K\x05\x85", "K\x01\x85"),
      /has 16 bytes, but the pickle says 20/,
    ],
    [
      "reaches behind its storage",
      tensorPickle("K\x04", "K\x01", "K\x04\x85", "K\x01\x85"),
      /reaches to element 4 of a storage of 4/,
    ],
    ["strides behind its storage", tensorPickle("K\x04", "K\0", "K\x02\x85", "K\x04\x85"), /reaches to element 4/],
    ["repeats its storage", tensorPickle("K\x04", "K\0", "K\x05K\x04\x86", "K\0K\x01\x86"), /repeats the 4 elements/],
    [
      "has an absurd shape",
      tensorPickle("K\x04", "K\0", "J\xff\xff\xff\x7fJ\xff\xff\xff\x7f\x86", "K\0K\0\x86"),
      /repeats/,
    ],
    [
      "has a negative offset",
      tensorPickle("K\x04", "J\xff\xff\xff\xff", "K\x01\x85", "K\x01\x85"),
      /strides of a tensor are invalid/,
    ],
    [
      "has a negative stride",
      tensorPickle("K\x04", "K\x03", "K\x04\x85", "J\xff\xff\xff\xff\x85"),
      /strides of a tensor are invalid/,
    ],
    [
      "has a huge count",
      tensorPickle("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f", "K\0", "K\x01\x85", "K\x01\x85"),
      /not described soundly/,
    ],
    [
      "has more strides than dimensions",
      tensorPickle("K\x04", "K\0", "K\x04\x85", "K\x01K\x01\x86"),
      /strides of a tensor are invalid/,
    ],
    [
      "names a storage that is not there",
      sound.replace("X\x01\0\0\x000", "X\x01\0\0\x001"),
      /"archive\/data\/1" of a tensor is missing/,
    ],
    ["names a storage outside the data", sound.replace("X\x01\0\0\x000", "X\x07\0\0\0../data"), /is missing/],
    ["calls a class", "\x80\x02cbuiltins\ngetattr\n(NNtR", /names "builtins\.getattr"/],
    ["names a class as text", "\x80\x04\x8c\x02os\x8c\x06system\x93", /names "os\.system"/],
    ["names a class by no text", "\x80\x04K\x01K\x02\x93", /not a text/],
    ["calls a storage class", "\x80\x02ctorch\nFloatStorage\n)R", /calls torch\.FloatStorage/],
    ["calls a tensor", `${sound})R`, /calls a tensor/],
    ["makes an object", "\x80\x02ctorch\nSize\n)\x81", /opcode 0x81/],
    ["gives a tensor attributes", `${sound}}b`, /gives attributes to a tensor/],
    ["holds a class", "\x80\x02ctorch\nfloat32\n", /holds torch\.float32/],
    [
      "holds a storage",
      sound.slice(0, sound.indexOf("Q") + 1).replace("ctorch._utils\n_rebuild_tensor_v2\n(", ""),
      /holds a storage/,
    ],
    ["has a tensor as a key", `\x80\x02}${sound}Ns`, /a tensor as a key/],
    ["contains itself", "\x80\x02]q\0h\0a", /without measure/],
    ["unfolds without end", laughs.slice(0, -1), /without measure/],
    ["nests without end", `\x80\x02${"](".repeat(5000)}${"e".repeat(5000)}`, /without measure/],
    ["copies one storage again and again", `\x80\x02](${square.slice(2).repeat(40)}e`, /far larger than the file/],
    ["takes from an empty stack", "\x80\x02a", /takes more values than its stack holds/],
    ["takes from an outer group", "\x80\x02](a", /takes more values than its stack holds/],
    ["ends a group that it has not begun", "\x80\x02t", /not begun/],
    ["appends to a dict", "\x80\x02}Na", /appends to a dict/],
    ["sets an item of a list", "\x80\x02]NNs", /sets items of a list/],
    ["sets half an item", "\x80\x02}(Nu", /sets items of a dict/],
    ["recalls what it has not remembered", "\x80\x02h\x05", /recalls number 5/],
    ["has a text longer than itself", "\x80\x02X\xff\xff\xff\x7fabc", /2147483647 bytes are expected/],
    ["has a text beyond any memory", "\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xffabc", /bytes are expected/],
    ["has a text that is not UTF-8", "\x80\x02X\x02\0\0\0\xff\xff", /not UTF-8/],
    [
      "has an integer of a million bytes",
      `\x80\x02\x8b\x40\x42\x0f\0${"\x01".repeat(1_000_000)}`,
      /integer of 1000000 bytes/,
    ],
    ["has bytes", "\x80\x03C\x01a", /opcode 0x43/],
    ["is of an unknown protocol", "\x80\x09N", /unknown protocol/],
  ])("%s", (_what, pickle, message) => {
    const storages = pickle.includes("M\0\x01") ? { "0": Buffer.alloc(1024) } : four;
    const read = () => decodePt(withPickle(`${pickle}.`, storages), { name: "x.pt" });
    expect(read).toThrow(expect.objectContaining({ code: "BAD_FILE", message: expect.stringMatching(message) }));
    expect(read).toThrow(/^x\.pt, offset \d+: /);
  });

  it("has thousands of keys that a Map cannot distinguish by their lowest bits", () => {
    const key = (i: number) => `\x8a\x0a${"\0".repeat(8)}${String.fromCharCode(i & 255, (i >> 8) & 127)}`;
    const pickle = (count: number) =>
      `\x80\x02}(${Array.from({ length: count }, (_, i) => `${key(i + 1)}N`).join("")}u.`;
    expect((decodePt(withPickle(pickle(4000), {})) as ReadonlyMap<bigint, null>).size).toBe(4000);
    expect(() => decodePt(withPickle(pickle(5000), {}))).toThrow("integers of more than 64 bits");
  });

  it("remembers under a number beyond its own length", () => {
    expect(() => decodePt(withPickle("\x80\x02Nr\xff\xff\xff\x7f.", {}))).toThrow("cannot remember");
  });

  it("has no end", () => {
    expect(() => decodePt(withPickle("\x80\x02N", {}))).toThrow("ends too early");
  });
});

describe("encodePt", () => {
  const leaf: fc.Arbitrary<PtInput> = fc.oneof(
    arrays(["uint16", "uint32", "uint64"]),
    fc.string({ unit: "grapheme" }),
    fc.double(),
    fc.maxSafeInteger(),
    fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }).filter((value) => !Number.isSafeInteger(Number(value))),
    fc.boolean(),
    fc.constant(null),
  );
  const { value: values } = fc.letrec<{ value: PtInput; list: PtInput[]; dict: PtInput }>((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, leaf, tie("list"), tie("dict")),
    list: fc.array(tie("value"), { maxLength: 4 }),
    dict: fc
      .array(fc.tuple(fc.oneof(fc.string(), fc.integer(), fc.boolean()), tie("value")), { maxLength: 4 })
      // 1 and true are one key in Python, and refused.
      .map((pairs) => new Map(pairs.filter(([key]) => typeof key !== "number" || (key !== 0 && key !== 1)))),
  }));

  it("returns any value", () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(ptText(decodePt(encodePt(value)))).toEqual(ptText(value as PtValue));
      }),
      { numRuns: 500 },
    );
  });

  it("returns one tensor after the other, also of the same shape", () => {
    fc.assert(
      fc.property(fc.array(arrays(["uint16", "uint32", "uint64"]), { maxLength: 8 }), (list) => {
        for (const array of [...list, ...list]) expect(ptText(decodePt(encodePt(array)))).toEqual(arrayText(array));
      }),
      { numRuns: 100 },
    );
  });

  it("writes the same file from a template as without one", () => {
    const other = ndArray("float32", new Float32Array([4, 5, 6]));
    encodePt(vector);
    const fromTemplate = encodePt(other);
    encodePt(ndArray("float64", new Float64Array(1)));
    expect(encodePt(other).equals(fromTemplate)).toBe(true);
  });

  it("writes a plain object as a dict, and shares data that is shared", () => {
    const bytes = encodePt({ a: vector, b: vector, list: [1, { c: vector }] });
    expect([...openZip(bytes).entries.keys()]).toEqual(["archive/data.pkl", "archive/data/0", "archive/version"]);
    const text = arrayText(vector);
    expect(ptText(decodePt(bytes))).toEqual({
      dict: [
        ["a", text],
        ["b", text],
        ["list", { list: [{ value: 1 }, { dict: [["c", text]] }] }],
      ],
    });
  });

  it("aligns the numbers to 64 bytes", () => {
    const archive = openZip(encodePt({ a: vector, b: ndArray("uint8", new Uint8Array(3)) }));
    const offsets = ["archive/data/0", "archive/data/1"].map(
      (name) => findEntryData(archive, archive.entries.get(name)!) % 64,
    );
    expect(offsets).toEqual([0, 0]);
  });

  it("uses a checksum that fits", () => {
    const archive = openZip(encodePt(vector));
    for (const entry of archive.entries.values()) expect(readZipEntry(archive, entry).length).toBe(entry.bytes);
  });

  it("refuses what a .pt file cannot hold, and says what", () => {
    const circle: PtInput[] = [];
    circle.push(circle);
    const refuse = (value: unknown, message: string) =>
      expect(() => encodePt(value as PtInput)).toThrow(
        expect.objectContaining({ code: "BAD_RECORD", message: expect.stringContaining(message) }),
      );
    refuse(circle, "contains itself");
    refuse(ndArray("uint16", new Uint16Array(2)), "cannot hold uint16");
    refuse({ a: undefined }, "undefined");
    refuse(new Date(0), "no place in it");
    refuse({ a: () => 1 }, "no place in it");
    refuse(new Map([[{}, 1]]), "a key is not");
    refuse(2n ** 2000n, "1,023 bits");
    refuse({ dtype: "float32", shape: [4], data: new Float32Array(3) }, "needs 4 numbers");
    refuse([vector, { dtype: "bool", shape: [3], data: vector.data }], "needs a Uint8Array");
  });

  it("reads what was written to a file", () => {
    const path = join(temporaryFolder(), "x.pt");
    writeFileSync(path, encodePt(vector));
    expect(ptText(readPt(path))).toEqual(arrayText(vector));
    expect(() => readPt(`${path}.none`)).toThrow("x.pt.none cannot be read");
  });
});
