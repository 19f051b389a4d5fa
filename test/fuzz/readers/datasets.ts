import { gzipSync } from "node:zlib";
import type { LocalDataset } from "../../../src/datasets/dataset.ts";
import { openCsv } from "../../../src/datasets/open-csv.ts";
import { openJsonl } from "../../../src/datasets/open-jsonl.ts";
import { openTsv } from "../../../src/datasets/open-tsv.ts";
import type { Reader } from "../reader.ts";

const rows = Array.from({ length: 40 }, (_, n) => ({ id: `utt-${n}`, text: `row "${n}", ü`, list: [n, { n }] }));
const jsonl = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const csv = `id,text\r\n${rows.map(({ id, text }) => `${id},"${text.replaceAll('"', '""')}\nsecond line"\r\n`).join("")}`;
const tsv = `id\ttext\n${rows.map(({ id, text }) => `${id}\t${text}\n`).join("")}`;

/** Every row forwards, and some again in another order. */
async function readAll(opened: Promise<LocalDataset<unknown>>): Promise<unknown> {
  await using data = await opened;
  const read: unknown[] = [];
  for (let i = 0; i < Math.min(data.length, 200); i++) read.push(data.at(i));
  for (let i = Math.min(data.length, 200) - 1; i > 0; i -= 7) data.at(i);
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
