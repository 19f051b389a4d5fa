import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { instantiate, readFailures } from "millrace";
import { type LocalDataset, openJsonl } from "millrace/datasets";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { letters, type Utterance } from "../fixtures/runners/dataset-run.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "millrace-run-dataset-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function corpusOf(name: string, texts: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, texts.map((text, i) => `${JSON.stringify({ id: `utt-${i}`, text })}\n`).join(""));
  return path;
}

describe("run(dataset)", () => {
  it("runs all rows, in one process and in several", async () => {
    const corpus = corpusOf(
      "words.jsonl",
      Array.from({ length: 500 }, (_, i) => "x".repeat(i % 7)),
    );
    await using dataset = await openJsonl<Utterance>(corpus, { id: "id" });
    const here = await letters.run(dataset, { config: { corpus } });
    expect(here).toHaveLength(500);
    expect(here[499]).toEqual({ id: "utt-499", letters: 499 % 7 });
    const there = await letters.run(dataset, { config: { corpus }, parallel: { env: "process", n_workers: 2 } });
    expect(there).toEqual(here);
  });

  it("names failed items by their ids", async () => {
    const corpus = corpusOf("bad.jsonl", ["good", "bad", "fine"]);
    await using dataset = await openJsonl<Utterance>(corpus, { id: "id" });
    await expect(letters.run(dataset, { config: { corpus } })).rejects.toThrow(/item 1 \(utt-1\): a text that is bad/);
    const outputDir = join(folder, "bad");
    await letters.run(dataset, { config: { corpus }, outputDir, onError: "skip", maxFailures: 1 });
    expect([...readFailures(outputDir)].map(({ item, id }) => ({ item, id }))).toEqual([{ item: 1, id: "utt-1" }]);
  });

  it("is another run when the rows are others, and the same when the file was copied", async () => {
    const corpus = corpusOf("first.jsonl", ["a", "b"]);
    const outputDir = join(folder, "identity");
    const options = { config: { corpus }, outputDir };
    await letters.run(await openJsonl(corpus), options);
    const manifest = JSON.parse(readFileSync(join(outputDir, "manifest.json"), "utf8")) as { fingerprint: object };
    expect(manifest.fingerprint).toMatchObject({ dataset: expect.stringMatching(/^jsonl 2 rows, .* crc32/) as string });
    await letters.run(await openJsonl(corpusOf("copy.jsonl", ["a", "b"])), options);
    await letters.resume(options);
    await expect(letters.run(await openJsonl(corpusOf("other.jsonl", ["a", "c"])), options)).rejects.toThrow(
      /dataset: jsonl 2 rows.* -> jsonl 2 rows/,
    );
  });

  it("is opened by a config", async () => {
    const path = corpusOf("config.jsonl", ["a", "b", "c"]);
    const dataset = await instantiate<LocalDataset<Utterance>>(
      { _target_: "millrace/datasets#openJsonl", path, id: "id" },
      { projectRoot: process.cwd() },
    );
    expect(dataset.id(2)).toBe("utt-2");
    await dataset.close();
  });
});
