import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { gzipSync } from "node:zlib";
import { crc32 } from "../../../src/bytes/crc32.ts";
import { openJsonl } from "../../../src/datasets/open-jsonl.ts";
import { type Case, caseName, type Reader, WrongValue } from "../reader.ts";

// A page of lengths, one of offsets for its long row, and the rest.
const rows = Array.from({ length: 9000 }, (_, n) => ({ n, text: n === 5000 ? "x".repeat(70_000) : `row ${n}` }));
const plain = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
const noise = Array.from({ length: 12_000 }, (_, n) => ({ n, text: Math.sin(n).toString(36) }));
const packed = gzipSync(noise.map((row) => `${JSON.stringify(row)}\n`).join(""), { memLevel: 1 });
const asked = [0, 1, 2, 4095, 4096, 4999, 5000, 5001, 8191, 8192, 8999];

/** Writes the file that an index is of, always with the same time, and returns the place of its index. */
function writeData(path: string, data: Uint8Array): string {
  writeFileSync(path, data);
  utimesSync(path, 1, 1);
  return join(dirname(path), `.${basename(path)}.rows`);
}

async function indexOf(data: Uint8Array): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "millrace-fuzz-index-"));
  try {
    const path = join(folder, caseName);
    const index = writeData(path, data);
    await (await openJsonl(path)).close();
    return readFileSync(index);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Opens the file beside an index with the bytes of the case. */
async function readWith(input: Case, data: Uint8Array): Promise<unknown[]> {
  const path = input.file();
  writeFileSync(writeData(path, data), input.bytes);
  await using opened = await openJsonl(path);
  const read = asked.filter((index) => index < opened.length).map((index) => opened.at(index));
  for await (const row of opened.slice(4090, 4100)) read.push(row);
  return [opened.length, ...read];
}

const truth = [rows.length, ...asked.map((index) => rows[index]), ...rows.slice(4090, 4100)];

/** A damaged index is noticed by its checksums: rows are right, or refused. */
export const indexFile: Reader = {
  covers: ["openJsonl"],
  seeds: async () => [await indexOf(plain)],
  read: async (input) => {
    const read = await readWith(input, plain);
    if (!isDeepStrictEqual(read, truth)) throw new WrongValue("other rows by a damaged index");
    return read;
  },
};

/** A made-up index with right checksums may name wrong rows, and must do no harm. */
export const hostileIndexFile: Reader = {
  covers: ["openJsonl"],
  seeds: async () => [await indexOf(plain)],
  repair: repairIndex,
  read: (input) => readWith(input, plain),
};

export const hostileGzipIndex: Reader = {
  covers: ["openJsonl"],
  seeds: async () => [await indexOf(packed)],
  repair: repairIndex,
  read: (input) => readWith(input, packed),
};

const [tailBytes, headerBytes] = [16, 24];

/** Corrects the checksum of the footer, and those of the pages where the directory of the footer says they are. */
function repairIndex(bytes: Buffer): Buffer {
  const tail = bytes.length - tailBytes;
  if (tail < 0) return bytes;
  const start = tail - bytes.readUInt32LE(tail);
  if (start < 0) return bytes;
  bytes.writeUInt32LE(crc32(bytes.subarray(start, tail)), tail + 4);
  bytes.write("MLROWS01", tail + 8);
  const directory = Number(/"directory":(\d{1,9})/.exec(bytes.toString("latin1", start, tail))?.[1] ?? start);
  for (let at = directory; at + 16 <= start; at += 16) {
    const [position, length] = [bytes.readDoubleLE(at), bytes.readDoubleLE(at + 8)];
    if (!(position >= 0 && length >= headerBytes && position + length <= bytes.length)) continue;
    if (!Number.isInteger(position) || !Number.isInteger(length)) continue;
    const page = bytes.subarray(position, position + length);
    page.writeUInt32LE(crc32(page.subarray(12), crc32(page.subarray(0, 8))), 8);
  }
  return bytes;
}
