import { expect, it } from "vitest";
import { ndArray } from "../../../src/formats/nd-array.ts";
import { arkScpWriter } from "../../../src/writers/ark-scp-writer.ts";
import { filesScpWriter } from "../../../src/writers/array-files-writer.ts";
import { jsonlWriter } from "../../../src/writers/jsonl-writer.ts";
import { keyedWriter } from "../../../src/writers/keyed-writer.ts";
import { npyScpWriter } from "../../../src/writers/npy-scp-writer.ts";
import { npyWriter } from "../../../src/writers/npy-writer.ts";
import { npzWriter } from "../../../src/writers/npz-writer.ts";
import { parquetWriter } from "../../../src/writers/parquet-writer.ts";
import { ptScpWriter } from "../../../src/writers/pt-scp-writer.ts";
import { safetensorsWriter } from "../../../src/writers/safetensors-writer.ts";
import { textWriter } from "../../../src/writers/text-writer.ts";
import { tsvWriter } from "../../../src/writers/tsv-writer.ts";
import { webDatasetWriter } from "../../../src/writers/web-dataset-writer.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { filesBelow } from "../../support/writers/interrupt-writer.ts";

const array = ndArray("float32", Float32Array.of(1, 2));
const record = { id: "utt1", array };
const bytes = { id: "utt1", array: Uint8Array.of(1) };

// Each writes one record and is left by `await using`; the files are those of the option `name`.
const cases: Readonly<Record<string, readonly [write: (dir: string) => Promise<void>, files: readonly string[]]>> = {
  jsonlWriter: [(dir) => leave(jsonlWriter(dir), { i: 1 }), ["records.jsonl"]],
  textWriter: [(dir) => leave(textWriter(dir, "text"), "a b"), ["text"]],
  tsvWriter: [(dir) => leave(tsvWriter(dir, { name: "m", columns: ["a"] }), { a: "1" }), ["m.tsv"]],
  npyScpWriter: [(dir) => leave(npyScpWriter(dir, { name: "m" }), record), ["data_m/utt1.npy", "m.scp"]],
  ptScpWriter: [(dir) => leave(ptScpWriter(dir, { name: "m" }), record), ["data_m/utt1.pt", "m.scp"]],
  filesScpWriter: [
    (dir) => leave(filesScpWriter(dir, { name: "m" }, { suffix: ".bin", encode: (raw: Uint8Array) => raw }), bytes),
    ["data_m/utt1.bin", "m.scp"],
  ],
  arkScpWriter: [(dir) => leave(arkScpWriter(dir, { name: "m" }), record), ["m.ark", "m.scp"]],
  npyWriter: [(dir) => leave(npyWriter(dir, { name: "m" }), array), ["m.npy"]],
  npzWriter: [(dir) => leave(npzWriter(dir, { name: "m" }), record), ["m.index.jsonl", "m.npz"]],
  safetensorsWriter: [(dir) => leave(safetensorsWriter(dir, { name: "m" }), record), ["m.safetensors"]],
  webDatasetWriter: [
    (dir) => leave(webDatasetWriter(dir, { name: "m" }), { __key__: "a", txt: Buffer.from("b") }),
    ["m-000000.tar", "m.parts.json", "m.samples.jsonl"],
  ],
  parquetWriter: [
    (dir) => leave(parquetWriter(dir, { name: "m", columns: [{ name: "a", type: "string" }] }), { a: "b" }),
    ["m.parquet", "m.parts.json"],
  ],
  keyedWriter: [
    (dir) =>
      leave(
        keyedWriter((key) => textWriter(dir, key)),
        ["m", "a b"] as const,
      ),
    ["m"],
  ],
};

async function leave<Record>(
  open: (Disposable | AsyncDisposable) & { write(record: Record): void | Promise<void> },
  given: Record,
): Promise<void> {
  await using writer = open;
  await writer.write(given);
}

it.each(Object.entries(cases))("%s has written its files when it is left", async (_name, [write, files]) => {
  const dir = temporaryFolder();
  await write(dir);
  const found = filesBelow(dir).filter((name) => !name.includes(".checkpoint."));
  expect(found).toEqual(files);
});
