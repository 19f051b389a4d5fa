import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { instantiate, readFailures, runStatus } from "millrace";
import { type LocalDataset, openJsonl } from "millrace/datasets";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeRun } from "../../src/cli/describe-run.ts";
import { progressBlock } from "../../src/driver/progress/progress-block.ts";
import { letters, type Utterance } from "../fixtures/runners/dataset-run.ts";

const cli = fileURLToPath(new URL("../../dist/cli/millrace.js", import.meta.url));
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

  it("names the item at which a worker is, also while it blocks, and the one that ended the run", async () => {
    const corpus = corpusOf("slow.jsonl", ["one", "two", "slow", "bad"]);
    await using dataset = await openJsonl<Utterance>(corpus, { id: "id" });
    const outputDir = join(folder, "slow");
    const parallel = { env: "process", n_workers: 1 } as const;
    const ended = letters
      .run(dataset, { config: { corpus }, outputDir, parallel, shards: 1 })
      .catch((error: unknown) => error);
    const statusOf = () => runStatus(outputDir).catch(() => undefined);
    await expect.poll(async () => (await statusOf())?.workers[0]?.itemId, { interval: 50 }).toBe("utt-2");
    const status = await runStatus(outputDir);
    expect(status.workers[0]).toMatchObject({ shard: 0, position: 2 });
    expect(describeRun(status)).toContain("at item 2 (utt-2) of split.0");
    expect(progressBlock("", status, { columns: 120, hasColour: false }).join("\n")).toMatch(
      /split\.0 of 1, item 2 \(utt-2\)/,
    );
    expect(await ended).toMatchObject({ code: "ITEM_FAILED", item: 3, itemId: "utt-3" });
    expect((await runStatus(outputDir)).failure).toMatchObject({ item: 3, itemId: "utt-3" });
    const after = spawnSync(process.execPath, [cli, "status", outputDir], { encoding: "utf8" }).stdout;
    expect(after).toContain("item 3 (utt-3)");
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
