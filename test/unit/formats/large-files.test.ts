// Files around 4 GiB and 8 GiB, where numbers of 32 bits and eleven octal digits end. They are holes but for what is read.
import { closeSync, ftruncateSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withFileSource } from "../../../src/formats/file-source.ts";
import { encodeArkEntry } from "../../../src/formats/kaldi/encode-ark-entry.ts";
import { openScp } from "../../../src/formats/kaldi/open-scp.ts";
import { ndArray } from "../../../src/formats/nd-array.ts";
import { npyHeader } from "../../../src/formats/npy/encode-npy.ts";
import { readNpy } from "../../../src/formats/npy/read-npy.ts";
import { readNpyHeader } from "../../../src/formats/npy/read-npy-header.ts";
import { encodeSafetensorsHeader } from "../../../src/formats/safetensors/encode-safetensors.ts";
import { openSafetensors } from "../../../src/formats/safetensors/safetensors-file.ts";
import { encodeTarEntry, tarEnd } from "../../../src/formats/tar/encode-tar-entry.ts";
import { readTar } from "../../../src/formats/tar/read-tar.ts";
import { sumHeader } from "../../../src/formats/tar/tar-layout.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const gib = 2 ** 30;
const vector = ndArray("float32", Float32Array.of(1, -2, 3));

/** A file with some pieces at their places and nothing in between. */
function sparseFile(name: string, pieces: readonly (readonly [offset: number, bytes: Uint8Array])[], size: number) {
  const path = join(temporaryFolder(), name);
  const fd = openSync(path, "w");
  for (const [offset, bytes] of pieces) writeSync(fd, bytes, 0, bytes.length, offset);
  ftruncateSync(fd, size);
  closeSync(fd);
  return path;
}

describe("a file beyond 4 GiB", () => {
  it("is read at the offsets of an scp list, on both sides and across", () => {
    const { bytes, valueOffset } = encodeArkEntry("u", vector);
    const places = [0, 4 * gib - 8, 5 * gib];
    const pieces = places.map((place) => [place, bytes] as const);
    const path = sparseFile("feats.ark", pieces, 5 * gib + bytes.length);
    const lines = places.map((place, i) => `u${i} feats.ark:${place + valueOffset}\n`);
    writeFileSync(join(path, "..", "feats.scp"), lines.join(""));
    const table = openScp(join(path, "..", "feats.scp"));
    for (const i of places.keys()) expect(table.get(`u${i}`)).toEqual(vector);
    table.close();
  });

  it("is read behind a tensor that is larger than that", () => {
    const header = encodeSafetensorsHeader([
      { name: "large", dtype: "float32", shape: [5 * 2 ** 28] },
      { name: "small", dtype: "float32", shape: [3] },
    ]);
    const at = header.length + 5 * gib;
    const path = sparseFile(
      "model.safetensors",
      [
        [0, header],
        [at, new Uint8Array(vector.data.buffer)],
      ],
      at + 12,
    );
    const file = openSafetensors(path);
    expect(file.tensors.get("small")).toMatchObject({ offset: at, sizeBytes: 12 });
    expect(file.read("small")).toEqual(vector);
    file.close();
  });

  it.each([
    ["octal digits", 5 * gib],
    ["GNU's base 256", 9 * gib],
  ])("is read behind an entry of a tar archive whose size has %s", (_how, size) => {
    const large = Buffer.from(encodeTarEntry("large", new Uint8Array(0)));
    if (size < 8 ** 11) large.write(`${size.toString(8).padStart(11, "0")}\0`, 124, "latin1");
    else {
      large.fill(0, 124, 136);
      large[124] = 0x80;
      large.writeBigUInt64BE(BigInt(size), 128);
    }
    large.write(`${sumHeader(large).toString(8).padStart(6, "0")}\0 `, 148, "latin1");
    const small = Buffer.concat([encodeTarEntry("small", Buffer.from("here")), tarEnd]);
    const path = sparseFile(
      "shard.tar",
      [
        [0, large],
        [512 + size, small],
      ],
      512 + size + small.length,
    );
    withFileSource(path, (source) => {
      const entries = [...readTar(source)];
      expect(entries.map(({ name, sizeBytes }) => [name, sizeBytes])).toEqual([
        ["large", size],
        ["small", 4],
      ]);
      expect(Buffer.from(entries[1]!.read()).toString()).toBe("here");
    });
  });

  it("says of an array what it has, and is refused where it is shorter than that by one byte", () => {
    const header = npyHeader("float32", [5 * 2 ** 20, 256]);
    const whole = sparseFile("large.npy", [[0, header]], header.length + 5 * gib);
    expect(withFileSource(whole, readNpyHeader)).toMatchObject({ shape: [5 * 2 ** 20, 256], dtype: "float32" });
    const cut = sparseFile("cut.npy", [[0, header]], header.length + 5 * gib - 1);
    expect(() => readNpy(cut)).toThrow(expect.objectContaining({ code: "BAD_FILE" }));
  });
});
