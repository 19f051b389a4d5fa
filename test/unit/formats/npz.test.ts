import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type NdArray, ndArray } from "../../../src/formats/nd-array.ts";
import { encodeNpz, NpzWriter } from "../../../src/formats/npy/npz-writer.ts";
import { decodeNpz, openNpz } from "../../../src/formats/npy/open-npz.ts";
import { openZip } from "../../../src/formats/zip/open-zip.ts";
import { findEntryData } from "../../../src/formats/zip/read-zip-entry.ts";
import { type ArrayText, arrayText, goldenBytes, goldenFiles, goldenPath } from "../../support/formats/golden.ts";
import { arrays } from "../../support/formats/random-arrays.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const named = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), arrays(["bfloat16"]), { noNullPrototype: true });
const textOf = (npz: { names: readonly string[]; get(name: string): NdArray }) =>
  Object.fromEntries(npz.names.map((name) => [name, arrayText(npz.get(name))]));
const vector = ndArray("float32", new Float32Array([1, 2, 3]));

describe("an npz file", () => {
  it.each(goldenFiles<Record<string, ArrayText>>("npz"))("of NumPy is read: $name", ({ name, holds }) => {
    expect(textOf(decodeNpz(goldenBytes(name)))).toEqual(holds);
    const file = openNpz(goldenPath(name));
    expect(textOf(file)).toEqual(holds);
    file.close();
  });

  it("returns any arrays, stored and deflated", () => {
    fc.assert(
      fc.property(named, fc.boolean(), (record, compress) => {
        const expected = Object.fromEntries(Object.entries(record).map(([name, array]) => [name, arrayText(array)]));
        expect(textOf(decodeNpz(encodeNpz(record, { compress })))).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  it("has its numbers at multiples of 64 bytes, so that they can be mapped", () => {
    const archive = openZip(encodeNpz({ a: vector, bc: vector, def: vector }));
    expect([...archive.entries.values()].map((entry) => findEntryData(archive, entry) % 64)).toEqual([0, 0, 0]);
  });

  it("continues from any checkpoint to the same bytes", () => {
    const path = join(temporaryFolder(), "a.npz");
    const list = fc.array(arrays(["bfloat16"]), { maxLength: 5 });
    fc.assert(
      fc.property(list, list, list, fc.boolean(), (before, lost, after, compress) => {
        const first = new NpzWriter(path, { compress });
        for (const [i, array] of before.entries()) first.add(`a${i}`, array);
        const { bytes } = first.checkpoint();
        for (const [i, array] of lost.entries()) first.add(`lost${i}`, array);
        first.close();
        const second = new NpzWriter(path, { compress, resumeBytes: bytes });
        for (const [i, array] of after.entries()) second.add(`b${i}`, array);
        second.close();
        const all = [...before.map((a, i) => [`a${i}`, a]), ...after.map((a, i) => [`b${i}`, a])];
        expect(readFileSync(path).equals(encodeNpz(Object.fromEntries(all) as never, { compress }))).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it("refuses a name that is there already, also from before a checkpoint, and one that leaves the archive", () => {
    const path = join(temporaryFolder(), "a.npz");
    const first = new NpzWriter(path);
    first.add("x", vector);
    expect(() => first.add("x", vector)).toThrow('the entry "x.npy": it is there already');
    const { bytes } = first.checkpoint();
    first.close();
    const second = new NpzWriter(path, { resumeBytes: bytes });
    expect(() => second.add("x", vector)).toThrow("is there already");
    expect(() => second.add("../x", vector)).toThrow("leads out of its folder");
    second.close();
  });

  it("refuses to continue where the file is shorter than its checkpoint", () => {
    const path = join(temporaryFolder(), "a.npz");
    const writer = new NpzWriter(path);
    writer.add("x", vector);
    const { bytes } = writer.checkpoint();
    writer.close();
    expect(() => new NpzWriter(path, { resumeBytes: bytes + 10_000 })).toThrow(
      expect.objectContaining({ code: "BAD_FILE" }),
    );
  });

  it("names the arrays it has when asked for another, and the file and member where one is damaged", () => {
    const npz = decodeNpz(goldenBytes("stored.npz"), { name: "stats.npz" });
    expect(() => npz.get("mean")).toThrow(/stats\.npz holds no array "mean".*It holds count, sum, sum_square/s);
    const bytes = Buffer.from(goldenBytes("stored.npz"));
    bytes[bytes.indexOf("NUMPY")] = 0x58;
    expect(() => decodeNpz(bytes, { name: "stats.npz" }).get("count")).toThrow(/^stats\.npz, offset \d+: .*checksum/);
  });
});
