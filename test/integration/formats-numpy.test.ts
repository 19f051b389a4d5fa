// What millrace writes, NumPy reads, and what NumPy wrote elsewhere, millrace reads.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type NumberArray, ndArray } from "../../src/formats/nd-array.ts";
import { encodeNpy } from "../../src/formats/npy/encode-npy.ts";
import { NpyAppender } from "../../src/formats/npy/npy-appender.ts";
import { encodeNpz, NpzWriter } from "../../src/formats/npy/npz-writer.ts";
import { openNpz } from "../../src/formats/npy/open-npz.ts";
import { readNpy } from "../../src/formats/npy/read-npy.ts";
import { ZipWriter } from "../../src/formats/zip/zip-writer.ts";
import { arrayText } from "../support/formats/golden.ts";
import { askPython, pythonWith } from "../support/formats/python.ts";
import { arrays } from "../support/formats/random-arrays.ts";
import { sharedPath } from "../support/shared-path.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const python = pythonWith("numpy");

describe.skipIf(python === undefined)("NumPy (skipped where it is not installed)", () => {
  it("reads every npy file that is written", () => {
    const folder = temporaryFolder();
    const samples = fc.sample(arrays(["bfloat16"]), 300);
    const questions = samples.map((array, i) => {
      const path = join(folder, `${i}.npy`);
      writeFileSync(path, encodeNpy(array));
      return { kind: "npy", path };
    });
    // NumPy calls its complex types by their two parts together, as millrace does.
    expect(askPython(python!, questions)).toEqual(samples.map(arrayText));
  });

  it("reads npz files, stored, deflated and continued", () => {
    const folder = temporaryFolder();
    const [a, b] = [ndArray("float32", new Float32Array(192).fill(0.5)), ndArray("int64", new BigInt64Array([7n]), [])];
    const path = (name: string) => join(folder, name);
    writeFileSync(path("stored.npz"), encodeNpz({ a, größe: b }));
    writeFileSync(path("deflated.npz"), encodeNpz({ a, größe: b }, { compress: true }));
    const first = new NpzWriter(path("resumed.npz"));
    first.add("a", a);
    const { bytes } = first.checkpoint();
    first.add("lost", b);
    first.close();
    const second = new NpzWriter(path("resumed.npz"), { resumeBytes: bytes });
    second.add("größe", b);
    second.close();
    const questions = ["stored.npz", "deflated.npz", "resumed.npz"].map((name) => ({ kind: "npz", path: path(name) }));
    const expected = { a: arrayText(a), größe: arrayText(b) };
    expect(askPython(python!, questions)).toEqual([expected, expected, expected]);
  });

  it("reads an npy file that grew row by row", () => {
    const path = join(temporaryFolder(), "a.npy");
    const appender = new NpyAppender(path, { dtype: "float64", rowShape: [2] });
    for (let i = 0; i < 1000; i++) appender.append(ndArray("float64", new Float64Array([i, -i])));
    appender.close();
    expect(askPython(python!, [{ kind: "npy", path }])).toEqual([arrayText(readNpy(path))]);
    expect(readNpy(path).shape).toEqual([1000, 2]);
  });

  it("reads entries of an archive that were streamed", () => {
    const path = join(temporaryFolder(), "a.zip");
    const pieces: Uint8Array[] = [];
    const writer = new ZipWriter((bytes) => pieces.push(bytes));
    writer.begin("streamed", { align: 64 });
    writer.write(Buffer.from("one"));
    writer.write(Buffer.from("two"));
    writer.end();
    writer.add("plain", Buffer.from("three"), { compress: true });
    writer.finish();
    writeFileSync(path, Buffer.concat(pieces));
    const hex = (text: string) => Buffer.from(text).toString("hex");
    expect(askPython(python!, [{ kind: "zip", path }])).toEqual([
      { sizes: { streamed: 6, plain: 5 }, bytes: { streamed: hex("onetwo"), plain: hex("three") } },
    ]);
  });
});

interface Expected {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly values_c_order?: readonly (number | string | boolean | null)[];
}

const reference = sharedPath("data", "formats", "npy");

describe.skipIf(reference === undefined)("reference files (skipped where the shared data is not there)", () => {
  const folder = reference ?? "";
  const index = () => JSON.parse(readFileSync(join(folder, "index.json"), "utf8")) as Record<string, Expected>;
  const numbers = (data: NumberArray) => Array.from(data as Float64Array, Number);

  it("of NumPy have the shapes and numbers that their index says", () => {
    const unread: string[] = [];
    for (const [name, { shape, values_c_order: values }] of Object.entries(index())) {
      if (!name.endsWith(".npy") || /bad_|bytes_S|unicode|object|f16_|complex/.test(name)) {
        unread.push(name);
        continue;
      }
      const array = readNpy(join(folder, name));
      expect(array.shape, name).toEqual(shape);
      if (values?.every((value) => typeof value === "number")) expect(numbers(array.data), name).toEqual(values);
    }
    expect(unread.length).toBeLessThan(Object.keys(index()).length / 2);
  });

  it.each([
    "bad_empty_file",
    "bad_magic",
    "bad_truncated_data",
    "bad_truncated_header",
    "bytes_S",
    "unicode",
    "object_pickle",
  ])("that cannot be read are refused by name: %s", (name) => {
    const message = new RegExp(`${name}\\.npy, offset \\d+: `);
    expect(() => readNpy(join(folder, `${name}.npy`))).toThrow(message);
  });

  it.each(["stored.npz", "compressed.npz"])("hold the vectors of their index: %s", (name) => {
    const values = JSON.parse(readFileSync(join(folder, "npz_values.json"), "utf8")) as Record<string, number[]>;
    const npz = openNpz(join(folder, name));
    expect(npz.names.length).toBeGreaterThan(0);
    for (const key of npz.names) expect(numbers(npz.get(key).data)).toEqual(values[key]);
    npz.close();
  });
});
