import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseKaldiRange } from "../../../src/formats/kaldi/kaldi-range.ts";
import type { KaldiValue } from "../../../src/formats/kaldi/kaldi-value.ts";
import { openScp } from "../../../src/formats/kaldi/open-scp.ts";
import { parseScp } from "../../../src/formats/kaldi/parse-scp.ts";
import { readArk } from "../../../src/formats/kaldi/read-ark.ts";
import { readArkFile } from "../../../src/formats/kaldi/read-ark-file.ts";
import { readKaldiValue } from "../../../src/formats/kaldi/read-kaldi-value.ts";
import { parseScpLine, type ScpEntry } from "../../../src/formats/kaldi/scp-line.ts";
import { readScp } from "../../../src/formats/read-scp.ts";
import { parseOutputLine } from "../../../src/recipes/inference/output-line.ts";
import { readOutputScp } from "../../../src/recipes/inference/read-output-scp.ts";
import { golden } from "../../support/formats/format-files.ts";
import { readEither, sourceOf } from "../read-either.ts";
import { type Reader, WrongValue } from "../reader.ts";

const binary = Buffer.from(golden("kaldi/binary.ark"));
const text = Buffer.from(golden("kaldi/text.ark"));
// The compressed ones, from their first key on; what is before them holds one of each other kind.
const compressedStart = binary.indexOf("cm-short");

function checkValue({ data, shape }: KaldiValue): void {
  if (data.length !== shape.reduce((a, b) => a * b, 1)) throw new WrongValue("the shape is not that of the data");
}

const readArchive: Reader["read"] = (input) => {
  const entries = readEither(input, (source) => readArk(source), readArkFile);
  for (const { value } of entries) checkValue(value);
};

const shared = {
  covers: ["readArk", "readArkFile"],
  read: readArchive,
  memory: { constantBytes: 1 << 20, perByte: 16 },
};

export const ark: Reader = { ...shared, seeds: () => [binary.subarray(0, compressedStart), binary] };

export const compressedArk: Reader = { ...shared, seeds: () => [binary.subarray(compressedStart)] };

export const textArk: Reader = {
  ...shared,
  seeds: () => [text],
  bombs: [
    () => Buffer.from(`utt [ ${"\n".repeat(500_000)}]`),
    () => Buffer.from(`utt ${"[ ".repeat(500_000)}`),
    () => Buffer.from(`utt [ ${"1 ".repeat(500_000)}`),
    () => Buffer.from(`utt [ ${"1".repeat(1_000_000)} ]\n`),
  ],
  isText: true,
  // An entry takes as little as two bytes; each is a key and an array.
  memory: { constantBytes: 1 << 20, perByte: 256 },
};

export const kaldiValue: Reader = {
  covers: ["readKaldiValue"],
  seeds: () => [binary.subarray(binary.indexOf(0)), text.subarray(text.indexOf(" ") + 1)],
  memory: { constantBytes: 1 << 20, perByte: 16 },
  codes: ["BAD_FILE", "BAD_OPTION"],
  read: (input) => {
    const { random, isPlain } = input;
    const ranges = ["0:1,0:1", ":", "0:0", "1:0", "0:99999999999,0:1", "-1:2", "0:9007199254740993"];
    const range = !isPlain && random.chance(0.2) ? parseKaldiRange(random.pick(ranges)) : undefined;
    const offset = isPlain || random.chance(0.7) ? 0 : random.below(200);
    checkValue(readKaldiValue(sourceOf(input), offset, range === undefined ? {} : { range }));
  },
};

const list = "utt1 a.ark:12\nutt2 b/ü.ark:99[0:9,2:3]\nutt3 plain.mat\nutt4 c.ark:1[:,0:1]\n";

export const scp: Reader = {
  covers: ["parseScp", "readScp", "openScp"],
  isText: true,
  seeds: () => [Buffer.from(list), Buffer.from("utt1 values.ark:5\nutt2 values.ark:5[0:0]\n")],
  bombs: [
    () => Buffer.from(`utt1 ${"a ".repeat(250_000)}|\n`),
    () => Buffer.from(`utt1 ${"a".repeat(400_000)}${" ".repeat(400_000)}b\n`),
    () => Buffer.from(`utt1 ${":1".repeat(250_000)}\n`),
    () => Buffer.from(`utt1 ${"[".repeat(500_000)}\n`),
    () => Buffer.from(`${" ".repeat(900_000)}\n`),
    () => Buffer.from(`utt1${" ".repeat(900_000)}\n`),
    () => Buffer.from(`${"a".repeat(900_000)}\n`),
  ],
  memory: { constantBytes: 2 << 20, perByte: 64 },
  read: (input) => {
    const first = input.bytes.toString("utf8").split("\n", 1)[0]!;
    if (input.random.chance(0.1)) return readLists(input.file());
    if (input.random.chance(0.2)) parseScpLine(first);
    for (const entry of parseScp(sourceOf(input))) checkEntry(entry);
  },
};

function checkEntry({ path, offset }: ScpEntry): void {
  if (path.startsWith("|") || (offset === undefined && path.endsWith("|")))
    throw new WrongValue(`took the command ${path}`);
  if (offset !== undefined && !Number.isSafeInteger(offset)) throw new WrongValue(`the offset ${offset}`);
}

/** Reads the values too: every path leads to nothing, or to the archive beside the list. */
function readLists(path: string): void {
  writeFileSync(join(dirname(path), "values.ark"), binary.subarray(0, compressedStart));
  readScp(path);
  const table = openScp(path);
  try {
    for (const { key } of table.entries) {
      try {
        checkValue(table.get(key));
      } catch (error) {
        if (error instanceof WrongValue || (error as { code?: string }).code !== "BAD_FILE") throw error;
      }
    }
  } finally {
    table.close();
  }
}

export const inferenceScp: Reader = {
  covers: ["readOutputScp"],
  isText: true,
  seeds: () => [Buffer.from("utt1 hello world\nutt2 a\\nb \\u00e9\nutt3\n")],
  bombs: [() => Buffer.from(`utt1 ${"\\u".repeat(500_000)}`), () => Buffer.from(" ".repeat(900_000))],
  memory: { constantBytes: 1 << 20, perByte: 64 },
  read: (input) => {
    if (input.random.chance(0.2)) for (const entry of readOutputScp(input.file())) checkId(entry.id);
    else for (const line of input.bytes.toString("utf8").split("\n")) parseOutputLine(line);
  },
};

function checkId(id: unknown): void {
  if (typeof id !== "string" || id === "") throw new WrongValue("a record without an id");
}
