import { createReadStream, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import * as zlib from "node:zlib";
import { describe, expect, it } from "vitest";
import { openCsv } from "../../../src/datasets/open-csv.ts";
import { openJsonl } from "../../../src/datasets/open-jsonl.ts";
import { compressor, hasZstd, pieceCompressor } from "../../../src/formats/lines/compression.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const why = hasZstd
  ? ""
  : " (skipped: this Node.js has no zstd; test/integration/newer-node.test.ts runs them on one that has)";

interface Row {
  readonly id: string;
  readonly n: number;
}
const rows = Array.from({ length: 30_000 }, (_, n): Row => ({ id: `utt-${n}`, n }));
const text = rows.map((row) => `${JSON.stringify(row)}\n`).join("");

function file(bytes: Uint8Array | string, name = "data.jsonl.zst"): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, bytes);
  return path;
}

const pack = (part: string | Uint8Array): Buffer => Buffer.from(pieceCompressor("x.zst")!(Buffer.from(part as string)));

/** Frames that end anywhere, within rows too. */
function inFrames(whole: string, length: number): Buffer {
  const parts = Math.ceil(whole.length / length);
  return Buffer.concat(Array.from({ length: parts }, (_, i) => pack(whole.slice(i * length, (i + 1) * length))));
}

/** A frame with the data of another program, which readers skip. */
const skippable = Buffer.from([0x5f, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);

describe.skipIf(!hasZstd)(`a dataset in frames of zstd${why}`, () => {
  it("has the rows and the digest of the plain file, from every frame", async () => {
    await using plain = await openJsonl<Row>(file(text, "data.jsonl"));
    const noContentSize = file(text, "plain.jsonl");
    const kinds: Record<string, Uint8Array> = {
      one: pack(text),
      many: inFrames(text, 50_001),
      skipped: Buffer.concat([
        skippable,
        pack(text.slice(0, 70_000)),
        skippable,
        pack(""),
        pack(text.slice(70_000)),
        skippable,
      ]),
      streamed: await buffer(createReadStream(noContentSize).pipe(compressor("zstd", "x.zst")!)),
      checked: withChecksum(text),
    };
    for (const [kind, bytes] of Object.entries(kinds)) {
      await using packed = await openJsonl<Row>(file(bytes), { id: "id" });
      expect(packed.digest, kind).toBe(plain.digest);
      for (const i of [29_999, 0, 12_345, 1, 2, 3]) expect(packed.at(i), kind).toEqual(rows[i]);
      expect(packed.id(777), kind).toBe("utt-777");
      expect(await packed.get([5, 29_000, 6]), kind).toEqual([rows[5], rows[29_000], rows[6]]);
      let next = 0;
      for await (const { n } of packed) expect(n).toBe(next++);
      expect(next, kind).toBe(30_000);
    }
  });

  it("reads blocks of one repeated byte, and values with line breaks across frames", async () => {
    const long = `${JSON.stringify("x".repeat(3_000_000))}\n"y"\n`;
    await using data = await openJsonl<string>(file(pack(long)));
    expect([data.length, data.at(0).length, data.at(1)]).toEqual([2, 3_000_000, "y"]);
    const csv = 'id,text\r\na,"one\ntwo"\r\nb,"three"\r\n';
    await using table = await openCsv(file(inFrames(csv, 14), "t.csv.zst"), { id: "id" });
    expect([table.at(0), table.id(1)]).toEqual([{ id: "a", text: "one\ntwo" }, "b"]);
  });

  it("says file and offset of what is cut, changed or something else", async () => {
    const packed = inFrames(text, 100_000);
    const first = pack(text.slice(0, 100_000)).length;
    for (const end of [first + 3, first + 20, packed.length - 1])
      await expect(openJsonl(file(packed.subarray(0, end)))).rejects.toThrow(
        /data.jsonl.zst, offset \d+: .*(?:ends within a zstd frame|cannot be unpacked)/,
      );
    const other = Buffer.concat([packed.subarray(0, first), Buffer.from("more text here")]);
    await expect(openJsonl(file(other))).rejects.toThrow(
      new RegExp(`offset ${first}: this is not the beginning of a zstd frame`),
    );
    const checked = withChecksum(text);
    checked[checked.length >> 1]! ^= 0x55;
    await expect(openJsonl(file(checked))).rejects.toThrow(/offset \d+: .*zstd/);
    const late = skippable.subarray(0, 9);
    await expect(openJsonl(file(Buffer.concat([packed, late])))).rejects.toThrow(/ends within a zstd frame/);
  });

  it("refuses a small frame of more than 64 MiB of text before it fills the memory", async () => {
    const bomb = pack(Buffer.alloc(65 * 2 ** 20, 32));
    expect(bomb.length).toBeLessThan(100_000);
    await expect(openJsonl(file(bomb))).rejects.toThrow(/offset 0: a zstd frame cannot be unpacked.*smaller frames/s);
  });

  it("notices that the file was changed while it is open", async () => {
    const path = file(inFrames(text, 100_000));
    await using data = await openJsonl<Row>(path);
    writeFileSync(path, Buffer.alloc(readFileSync(path).length, 7));
    expect(() => data.at(20_000)).toThrow(/offset \d+: a zstd frame cannot be unpacked/);
  });
});

it.skipIf(hasZstd)(`says what to do where Node.js has no zstd (skipped where it has)`, async () => {
  const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0, 0]);
  await expect(openJsonl(file(frame))).rejects.toMatchObject({
    code: "BAD_OPTION",
    message: expect.stringMatching(/has no zstd/),
    hint: expect.stringMatching(/22\.15/),
  });
});

/** A frame that ends with a checksum of its text. */
function withChecksum(whole: string): Buffer {
  const { zstdCompressSync, constants } = zlib as unknown as {
    zstdCompressSync: (bytes: Uint8Array, options: object) => Buffer;
    constants: Record<string, number>;
  };
  const params = { [constants["ZSTD_c_checksumFlag"]!]: 1 };
  return Buffer.from(zstdCompressSync(Buffer.from(whole), { params }));
}
