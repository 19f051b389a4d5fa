// What the hooks that write get: one result an item, whatever the batch, unless a runner asks for the batch.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ItemIndex, type ParallelInput, type RunnerOptions, range, readShardState, runStatus } from "millrace";
import { describe, expect, it } from "vitest";
import {
  type BatchConfig,
  BatchProvider,
  CountRunner,
  ListRunner,
  NumberRunner,
  ShortListRunner,
  SummaryRunner,
  TornRunner,
  WholeRunner,
} from "../fixtures/runners/batches.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const envs: readonly ParallelInput[] = [
  { env: "local" },
  { env: "process", n_workers: 2 },
  { env: "thread", n_workers: 2 },
];
const ids = (...numbers: number[]) => numbers.map((n) => `utt${n}`);
const provider = (config: BatchConfig = {}) => new BatchProvider(config);
const linesOf = (outputDir: string, name: string, shard = 0) =>
  readFileSync(join(outputDir, `split.${shard}`, name), "utf8")
    .split("\n")
    .slice(0, -1);
const options = (more: Omit<RunnerOptions<ItemIndex>, "outputDir"> = {}) => ({
  ...more,
  outputDir: temporaryFolder(),
  progress: false,
  shards: 1,
});

describe.each(envs)("in env $env", (parallel) => {
  it("writeRecord gets one result an item in a run with batches", async () => {
    const given = options({ parallel, batchSize: 4 });
    await new ListRunner(provider(), given).run(range(8));
    expect(linesOf(given.outputDir, "text")).toEqual(range8.map((n) => `utt${n} words of ${n}`));
    expect(linesOf(given.outputDir, "utt2spk")).toEqual(range8.map((n) => `utt${n} spk${n % 2}`));
  });

  it("reduceState gets one result an item in a run with batches", async () => {
    const given = options({ parallel, batchSize: 3 });
    await new CountRunner(provider(), given).run(range(8));
    expect(readShardState(join(given.outputDir, "split.0"))).toEqual({ ids: ids(...range8) });
  });

  it("writeBatch gets the results of a batch", async () => {
    const given = options({ parallel, batchSize: 3 });
    await new WholeRunner(provider(), given).run(range(5));
    expect(linesOf(given.outputDir, "calls")).toEqual(["utt0 utt1 utt2 (true)", "utt3 utt4 (true)"]);
  });

  it("writeBatch gets an array of one in a run without batches", async () => {
    const given = options({ parallel });
    await new WholeRunner(provider({ dropAt: [1] }), given).run(range(3));
    expect(linesOf(given.outputDir, "calls")).toEqual(["utt0 (true)", "utt2 (true)"]);
    expect((await runStatus(given.outputDir)).items).toMatchObject({ done: 3, dropped: 1 });
  });
});

const range8 = [...range(8)];

describe("a runner with a writeRecord of its own", () => {
  it("does not see dropped items of a batch, and they are counted", async () => {
    const given = options({ batchSize: 4 });
    await new ListRunner(provider({ dropAt: [1, 6] }), given).run(range(8));
    expect(linesOf(given.outputDir, "utt2spk")).toHaveLength(6);
    expect((await runStatus(given.outputDir)).items).toMatchObject({ done: 8, dropped: 2 });
  });

  it("is refused a batch with a wrong number of results", async () => {
    await expect(new ShortListRunner(provider(), options({ batchSize: 4 })).run(range(8))).rejects.toMatchObject({
      code: "BATCH_RESULT",
      message: expect.stringContaining("got an array of 4 indices and returned an array of 3"),
    });
  });

  it("has the lines of failed items put into their places by a retry", async () => {
    const fixed = join(temporaryFolder(), "fixed");
    const given = options({ batchSize: 4, onError: "skip" });
    const runner = new ListRunner(provider({ failAt: [2, 5], fixed }), given);
    await runner.run(range(8));
    expect(linesOf(given.outputDir, "text")).toHaveLength(6);
    writeFileSync(fixed, "");
    await runner.retryFailed();
    expect(linesOf(given.outputDir, "text")).toEqual(range8.map((n) => `utt${n} words of ${n}`));
  });
});

describe("a runner with writeBatch", () => {
  it("gets dropped items in their places, and they are counted", async () => {
    const given = options({ batchSize: 4 });
    await new WholeRunner(provider({ dropAt: [1, 4, 5] }), given).run(range(6));
    // The second batch has nothing left to be written.
    expect(linesOf(given.outputDir, "calls")).toEqual(["utt0 - utt2 utt3 (true)"]);
    expect((await runStatus(given.outputDir)).items).toMatchObject({ done: 6, dropped: 3 });
  });

  it("gets the halves of a batch that failed", async () => {
    const given = options({ batchSize: 4, onError: "skip" });
    await new WholeRunner(provider({ failAt: [2] }), given).run(range(4));
    expect(linesOf(given.outputDir, "calls")).toEqual(["utt0 utt1 (true)", "utt3 (true)"]);
    expect((await runStatus(given.outputDir)).items).toMatchObject({ done: 4, failed: 1 });
  });

  it("gets a failed item alone in a retry, and its line is put into its place", async () => {
    const fixed = join(temporaryFolder(), "fixed");
    const given = options({ batchSize: 4, onError: "skip" });
    const runner = new WholeRunner(provider({ failAt: [2], fixed }), given);
    await runner.run(range(4));
    writeFileSync(fixed, "");
    await runner.retryFailed();
    expect(linesOf(given.outputDir, "calls")).toEqual(["utt0 utt1 (true)", "utt2 (true)", "utt3 (true)"]);
  });

  it("may return one object for the whole batch", async () => {
    const given = options({ batchSize: 3 });
    await new SummaryRunner(provider(), given).run(range(5));
    expect(linesOf(given.outputDir, "calls")).toEqual(['{"ids":["utt0","utt1","utt2"]}', '{"ids":["utt3","utt4"]}']);
  });

  it("drops a whole batch with null", async () => {
    const given = options({ batchSize: 2 });
    await new SummaryRunner(provider({ dropAt: [0, 1] }), given).run(range(4));
    expect(linesOf(given.outputDir, "calls")).toEqual(['{"ids":["utt2","utt3"]}']);
    expect((await runStatus(given.outputDir)).items).toMatchObject({ done: 4, dropped: 2 });
  });

  it("is refused a number for a batch", async () => {
    await expect(new NumberRunner(provider(), options({ batchSize: 4 })).run(range(8))).rejects.toMatchObject({
      code: "BATCH_RESULT",
      message: expect.stringContaining("got an array of 4 indices and returned 4"),
    });
  });

  it("is refused a writeRecord of its own beside it", async () => {
    await expect(new TornRunner(provider(), options({ batchSize: 4 })).run(range(8))).rejects.toMatchObject({
      code: "BAD_RUNNER",
      message: expect.stringContaining("TornRunner has both writeBatch and writeRecord"),
    });
  });
});
