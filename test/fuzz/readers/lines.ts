import { gunzipSync, gzipSync } from "node:zlib";
import { encodeJsonLine, parseJsonl } from "../../../src/formats/lines/json-lines.ts";
import { readJsonl } from "../../../src/formats/lines/jsonl-file.ts";
import { parseTsv } from "../../../src/formats/lines/parse-tsv.ts";
import { readTextLines } from "../../../src/formats/lines/read-text-lines.ts";
import { readTsv } from "../../../src/formats/lines/tsv-file.ts";
import { readLines, readRecords } from "../../../src/run-folder/shard/read-records.ts";
import { golden } from "../../support/formats/format-files.ts";
import { byteMutators } from "../mutate-bytes.ts";
import { textMutators } from "../mutate-text.ts";
import { readEither, sourceOf } from "../read-either.ts";
import { type Mutator, type Reader, WrongValue } from "../reader.ts";

const records = [{ id: "é", n: [1, 2.5, null], deep: { a: { b: ["x"] } } }, [1], "text", null, true, -0.5];
const jsonlSeeds = (): Buffer[] => [
  Buffer.from(golden("jsonl/records.jsonl")),
  Buffer.from(records.map((record) => encodeJsonLine(record)).join("")),
  Buffer.from('\ufeff{"a":1}\r\n\n[1,2]\n"é"\nnull'),
];

function checkRecord(record: unknown): void {
  if (record === undefined) throw new WrongValue("no record");
}

const nested = (depth: number): Buffer => Buffer.from(`${"[".repeat(depth)}${"]".repeat(depth)}\n`);
const lineBudget = { constantBytes: 4 << 20, perByte: 64 };

export const jsonl: Reader = {
  covers: ["parseJsonl", "readJsonl"],
  isText: true,
  seeds: jsonlSeeds,
  bombs: [
    () => nested(500_000),
    () => Buffer.from(`{"a":`.repeat(200_000)),
    () => Buffer.from(`${"[0],".repeat(200_000)}`),
  ],
  memory: { constantBytes: 4 << 20, perByte: 200 },
  read: async (input) => {
    if (input.random.chance(1 / 16)) for await (const record of readJsonl(input.file())) checkRecord(record);
    else for (const record of parseJsonl(sourceOf(input))) checkRecord(record);
  },
};

const gzip = (bytes: Uint8Array): Buffer => gzipSync(bytes, { level: 1 });

/** Changes what is in it and packs it again, so that its checksum is right. */
const mutateInside: Mutator = (bytes, random) => {
  try {
    const text = Buffer.from(gunzipSync(bytes, { maxOutputLength: 1 << 20 }));
    return text.length === 0 ? bytes : gzip(random.pick([...textMutators, ...byteMutators])(text, random));
  } catch {
    return random.pick(byteMutators)(bytes, random);
  }
};

export const jsonlGzip: Reader = {
  covers: ["readJsonl"],
  seeds: () => [
    Buffer.from(golden("jsonl/records.jsonl.gz")),
    ...jsonlSeeds().map(gzip),
    Buffer.concat(jsonlSeeds().slice(0, 2).map(gzip)),
  ],
  bombs: [
    () => gzip(nested(8_000_000)),
    () => gzip(Buffer.from(`[${"[],".repeat(8_000_000)}0]\n`)),
    () => gzip(Buffer.alloc(256 << 20, " ")),
    () => gzip(Buffer.from("{}\n".repeat(100_000))),
    () => gzip(Buffer.from(`${"\n".repeat(5_000_000)}`)),
    () => Buffer.concat(Array.from({ length: 20_000 }, () => gzip(Buffer.from("1\n")))),
  ],
  mutators: [mutateInside],
  read: async (input) => {
    for await (const record of readJsonl(input.file())) checkRecord(record);
  },
};

export const textLines: Reader = {
  covers: ["readTextLines", "readLines", "readRecords"],
  isText: true,
  seeds: jsonlSeeds,
  codes: ["BAD_FILE", "SHARD_DAMAGED"],
  bombs: [() => Buffer.alloc(1 << 20, "\n"), () => Buffer.alloc(1 << 20, "a")],
  memory: { constantBytes: 4 << 20, perByte: 200 },
  read: (input) => {
    for (const { text } of readTextLines(sourceOf(input))) if (text.includes("\n")) throw new WrongValue("two lines");
    if (!input.random.chance(1 / 16)) return;
    for (const line of readLines(input.file())) if (line.includes("\n")) throw new WrongValue("two lines");
    // Of files that the library wrote: a line without a record is damage here.
    if (!input.bytes.includes("\n\n")) for (const record of readRecords(input.file())) checkRecord(record);
  },
};

const table = "\ufeffutt_id\twav\ttext\r\nu1\ta.wav\tgrüß\r\nu2\tb.wav\t\r\nu3\tc.wav\tx y";

export const tsv: Reader = {
  covers: ["parseTsv", "readTsv"],
  isText: true,
  seeds: () => [Buffer.from(table), Buffer.from("u1\ta\tb\nu2\tc\td\n")],
  bombs: [() => Buffer.from("\t".repeat(900_000)), () => Buffer.from("a\n".repeat(400_000))],
  memory: lineBudget,
  read: (input) => {
    const options = { columns: ["utt_id", "wav", "text"], id: "utt_id" } as const;
    const rows = readEither(
      input,
      (source) => parseTsv(source, options),
      (path) => readTsv(path, options),
    );
    if (new Set(rows.map((row) => row.utt_id)).size !== rows.length) throw new WrongValue("an id comes twice");
  },
};
