import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { golden } from "../../../fixtures/formats/format-files.ts";
import { fuzz, fuzzCount, fuzzLater, fuzzTimeoutMs } from "../../../fixtures/formats/fuzz.ts";
import { watchAllocations } from "../../../fixtures/formats/watch-allocations.ts";

const watch = watchAllocations();
const { toByteSource } = await import("../../../../src/formats/byte-source.ts");
const { parseJsonl } = await import("../../../../src/formats/lines/json-lines.ts");
const { parseTsv } = await import("../../../../src/formats/lines/parse-tsv.ts");
const { readRecords } = await import("../../../../src/formats/lines/jsonl-file.ts");
const { inflateChunks } = await import("../../../../src/formats/lines/inflate-chunks.ts");

it("reads damaged JSONL or refuses it", { timeout: fuzzTimeoutMs }, () => {
  const inputs = [golden("jsonl/records.jsonl").subarray(0, 300), Buffer.from('{"a":1}\r\n\n[1,2]\n"é"\nnull')];
  const read = (input: Uint8Array): void => {
    for (const record of parseJsonl(toByteSource(input, "damaged.bin"), { maxLineBytes: 100 })) {
      if (record === undefined) expect.fail("no record");
    }
  };
  const result = fuzz(read, { inputs, count: fuzzCount(100_000), watch });
  expect(result.read).toBeGreaterThan(1000);
  expect(result.refused).toBeGreaterThan(1000);
});

it("reads damaged manifests or refuses them", { timeout: fuzzTimeoutMs }, () => {
  const inputs = [Buffer.from("\ufeffutt_id\twav\ttext\r\nu1\ta.wav\tgrüß\r\nu2\tb.wav\t\r\nu3\tc.wav\tx y")];
  const read = (input: Uint8Array): void => {
    const rows = parseTsv(toByteSource(input, "damaged.bin"), { columns: ["utt_id", "wav", "text"], id: "utt_id" });
    if (new Set(rows.map((row) => row.utt_id)).size !== rows.length) expect.fail("an id comes twice");
  };
  const result = fuzz(read, { inputs, count: fuzzCount(100_000), watch });
  expect(result.read).toBeGreaterThan(1000);
  expect(result.refused).toBeGreaterThan(1000);
});

it("reads damaged compressed JSONL or refuses it", { timeout: fuzzTimeoutMs }, async () => {
  const inputs = [golden("jsonl/records.jsonl.gz"), gzipSync('{"a":1}\n[2]\n')];
  const read = async (input: Uint8Array): Promise<void> => {
    const chunks = inflateChunks(Readable.from([input]), "gzip", "damaged.bin");
    for await (const record of readRecords(chunks, "damaged.bin", {}))
      if (record === undefined) expect.fail("no record");
  };
  // A stream of zlib has a window, a state and a buffer of fixed sizes.
  const result = await fuzzLater(read, { inputs, count: fuzzCount(100_000), watch });
  expect(result.read).toBeGreaterThan(100);
  expect(result.refused).toBeGreaterThan(1000);
});
