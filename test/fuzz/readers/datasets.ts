import { isDeepStrictEqual } from "node:util";
import { gzipSync } from "node:zlib";
import type { LocalDataset } from "../../../src/datasets/dataset.ts";
import { openCsv } from "../../../src/datasets/open-csv.ts";
import { openJsonl } from "../../../src/datasets/open-jsonl.ts";
import { openTsv } from "../../../src/datasets/open-tsv.ts";
import { pieceCompressor } from "../../../src/formats/lines/compression.ts";
import { type Reader, WrongValue } from "../reader.ts";

const rows = Array.from({ length: 40 }, (_, n) => ({ id: `utt-${n}`, text: `row "${n}", ü`, list: [n, { n }] }));
const jsonl = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const csv = `id,text\r\n${rows.map(({ id, text }) => `${id},"${text.replaceAll('"', '""')}\nsecond line"\r\n`).join("")}`;
const tsv = `id\ttext\n${rows.map(({ id, text }) => `${id}\t${text}\n`).join("")}`;

/** Rows one by one, some again in another order, and the same rows in order and together. */
async function readAll(opened: Promise<LocalDataset<unknown>>): Promise<unknown> {
  await using data = await opened;
  const count = Math.min(data.length, 200);
  const read: unknown[] = [];
  for (let i = 0; i < count; i++) read.push(data.at(i));
  for (let i = count - 1; i > 0; i -= 7) data.at(i);
  const first = data.slice(0, count);
  const inOrder: unknown[] = [];
  for await (const row of first) inOrder.push(row);
  if (!isDeepStrictEqual(inOrder, read)) throw new WrongValue("rows that are others when they are read in order");
  if (!isDeepStrictEqual(await first.get(inOrder.keys()), read)) throw new WrongValue("rows that are others together");
  return [data.length, read];
}

export const jsonlDataset: Reader = {
  covers: ["openJsonl"],
  isText: true,
  seeds: () => [Buffer.from(jsonl), Buffer.from(jsonl.replaceAll("\n", "\r\n\n"))],
  read: (input) => readAll(openJsonl(input.file())),
};

export const jsonlGzipDataset: Reader = {
  covers: ["openJsonl"],
  seeds: () => [
    gzipSync(jsonl),
    gzipSync(jsonl, { level: 0 }),
    Buffer.concat([gzipSync(jsonl.slice(0, 500)), gzipSync(jsonl.slice(500), { strategy: 4 })]),
  ],
  bombs: [() => gzipSync(Buffer.alloc(50_000_000, "\n")), () => gzipSync(Buffer.alloc(100_000_000, "x"))],
  read: (input) => readAll(openJsonl(input.file())),
};

/** zstd in frames, with one of another program's data between them. */
export const jsonlZstdDataset: Reader = {
  covers: ["openJsonl"],
  seeds: () => [zstd(jsonl), Buffer.concat([zstd(jsonl.slice(0, 500)), skippable, zstd(jsonl.slice(500))])],
  bombs: [() => zstd("\n".repeat(50_000_000)), () => zstd("x".repeat(100_000_000))],
  read: (input) => readAll(openJsonl(input.file())),
};

const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);

function zstd(text: string): Uint8Array {
  return pieceCompressor("x.zst")!(Buffer.from(text));
}

export const csvDataset: Reader = {
  covers: ["openCsv"],
  isText: true,
  seeds: () => [Buffer.from(csv)],
  read: (input) => readAll(openCsv(input.file())),
};

export const tsvDataset: Reader = {
  covers: ["openTsv"],
  isText: true,
  seeds: () => [Buffer.from(tsv)],
  read: (input) => readAll(openTsv(input.file())),
};
