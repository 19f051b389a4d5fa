import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { range, readRecords, runStatus } from "millrace";
import { beforeEach, describe, expect, it } from "vitest";
import { calls, itemsCalled, SquareProvider, SquareRunner, squares } from "../fixtures/runners/squares.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const quiet = { progress: false } as const;
const newRunner = (outputDir: string, options = {}, config = {}) =>
  new SquareRunner(new SquareProvider(config), { ...quiet, outputDir, shards: 5, ...options });

beforeEach(() => {
  calls.length = 0;
});

describe("a second run over a complete folder", () => {
  it("calls forward not once and returns the same result", async () => {
    const outputDir = temporaryFolder();
    const first = await newRunner(outputDir).run(range(10));
    calls.length = 0;
    const built = SquareProvider.built;
    expect(await newRunner(outputDir).run(range(10))).toEqual(first);
    expect(calls).toEqual([]);
    expect(SquareProvider.built).toBe(built);
  });

  it("leaves the merged file as it is", async () => {
    const outputDir = temporaryFolder();
    await newRunner(outputDir, { mergeFiles: true }).run(range(10));
    const before = statSync(join(outputDir, "records.jsonl")).ino;
    await newRunner(outputDir, { mergeFiles: true }).run(range(10));
    await newRunner(outputDir).run(range(10));
    expect(statSync(join(outputDir, "records.jsonl")).ino).toBe(before);
  });

  it("puts the merged file back where it was deleted or changed in length", async () => {
    const outputDir = temporaryFolder();
    const merged = join(outputDir, "records.jsonl");
    await newRunner(outputDir, { mergeFiles: true }).run(range(10));
    const text = readFileSync(merged, "utf8");
    for (const damage of [() => writeFileSync(merged, "oops"), () => rmSync(merged)]) {
      damage();
      await newRunner(outputDir, { mergeFiles: true }).run(range(10));
      expect(readFileSync(merged, "utf8")).toBe(text);
    }
  });

  it("makes the merged file where it was not asked for before", async () => {
    const outputDir = temporaryFolder();
    await newRunner(outputDir).run(range(10));
    await newRunner(outputDir, { mergeFiles: true }).run(range(10));
    expect([...readRecords(join(outputDir, "records.jsonl"))]).toEqual(squares([...range(10)]));
  });

  it("removes a merged file that is out of date rather than leave it", async () => {
    const outputDir = temporaryFolder();
    const skip = { onError: "skip", acceptChange: true };
    await newRunner(outputDir, { ...skip, mergeFiles: true }, { failAt: [3] }).run(range(10));
    await newRunner(outputDir, skip).retryFailed();
    expect(existsSync(join(outputDir, "records.jsonl"))).toBe(false);
  });

  it("recomputes the shard alone whose done was deleted", async () => {
    const outputDir = temporaryFolder();
    await newRunner(outputDir).run(range(10));
    rmSync(join(outputDir, "split.2", "done"));
    calls.length = 0;
    expect(await newRunner(outputDir).run(range(10))).toEqual(squares([...range(10)]));
    expect(itemsCalled()).toEqual([4, 5]);
  });

  it("recomputes the shard alone whose folder was deleted", async () => {
    const outputDir = temporaryFolder();
    await newRunner(outputDir).run(range(10));
    rmSync(join(outputDir, "split.0"), { recursive: true });
    calls.length = 0;
    await newRunner(outputDir).run(range(10));
    expect(itemsCalled()).toEqual([0, 1]);
  });

  it("recomputes everything with resume: false, and keeps files that are not its own", async () => {
    const outputDir = temporaryFolder();
    await newRunner(outputDir).run(range(10));
    writeFileSync(join(outputDir, "notes.txt"), "mine");
    calls.length = 0;
    expect(await newRunner(outputDir, { resume: false, shards: 2 }).run(range(10))).toEqual(squares([...range(10)]));
    expect(itemsCalled()).toEqual([...range(10)]);
    expect(existsSync(join(outputDir, "split.2"))).toBe(false);
    expect(readFileSync(join(outputDir, "notes.txt"), "utf8")).toBe("mine");
  });
});

describe("a resume", () => {
  it("continues at the item that failed, not at the beginning of its shard", async () => {
    const outputDir = temporaryFolder();
    await expect(newRunner(outputDir, { shards: 1 }, { failAt: [6] }).run(range(10))).rejects.toThrow("item 6");
    calls.length = 0;
    const options = { shards: 1, acceptChange: true };
    expect(await newRunner(outputDir, options).run(range(10))).toEqual(squares([...range(10)]));
    expect(itemsCalled()).toEqual([6, 7, 8, 9]);
  });

  it("may change the batch size, the number of shards asked for and the parallel settings", async () => {
    const outputDir = temporaryFolder();
    await expect(newRunner(outputDir, { batchSize: 3 }, { failAt: [7] }).run(range(20))).rejects.toThrow("item 7");
    const options = { batchSize: 4, shards: 99, parallel: { env: "local", n_workers: 1 }, acceptChange: true };
    expect(await newRunner(outputDir, options).run(range(20))).toEqual(squares([...range(20)]));
    expect((await runStatus(outputDir)).shards.total).toBe(5);
  });

  it("keeps what is done when a signal stops it", async () => {
    const outputDir = temporaryFolder();
    const stop = new AbortController();
    class Stopping extends SquareRunner {
      static override forward(idx: number, env: Parameters<typeof SquareRunner.forward>[1]) {
        if (idx === 4) stop.abort();
        return super.forward(idx, env);
      }
    }
    const options = { ...quiet, outputDir, shards: 10 };
    await expect(
      new Stopping(new SquareProvider({}), { ...options, signal: stop.signal }).run(range(10)),
    ).rejects.toMatchObject({
      code: "RUN_STOPPED",
    });
    calls.length = 0;
    await new Stopping(new SquareProvider({}), options).run(range(10));
    expect(itemsCalled()).toEqual([5, 6, 7, 8, 9]);
  });
});

describe("a changed run", () => {
  it.each([
    ["config", { config: { power: 3 } }, /config\.power: \(none\) -> 3/],
    ["params", { params: { split: "dev" } }, /params\.split: "train" -> "dev"/],
    ["items", { items: range(11) }, /items: 10 items.* -> 11 items/],
  ])("is refused, naming the difference in the %s", async (_name, change: Change, message) => {
    const outputDir = temporaryFolder();
    await start(outputDir, {});
    const error = await start(outputDir, change).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: "RUN_CHANGED", message: expect.stringMatching(message) });
  });

  it("is refused when the runner is another one, or has another version", async () => {
    class Other extends SquareRunner {}
    class SquareRunnerV2 extends SquareRunner {
      static readonly version = 2;
    }
    Object.defineProperty(SquareRunnerV2, "name", { value: "SquareRunner" });
    const outputDir = temporaryFolder();
    await start(outputDir, {});
    await expect(new Other(new SquareProvider({}), { ...quiet, outputDir }).run(range(10))).rejects.toThrow(
      /runner: SquareRunner -> Other/,
    );
    await expect(new SquareRunnerV2(new SquareProvider({}), { ...quiet, outputDir }).run(range(10))).rejects.toThrow(
      /runner: SquareRunner -> SquareRunner version 2/,
    );
  });

  it("continues with acceptChange, and is then the run as it is now", async () => {
    const outputDir = temporaryFolder();
    await start(outputDir, {});
    await start(outputDir, { config: { power: 3 }, options: { acceptChange: true } });
    await start(outputDir, { config: { power: 3 } });
    await expect(start(outputDir, {})).rejects.toMatchObject({ code: "RUN_CHANGED" });
  });

  it("is refused even with acceptChange where the items are others", async () => {
    const outputDir = temporaryFolder();
    await start(outputDir, {});
    await expect(start(outputDir, { items: range(3), options: { acceptChange: true } })).rejects.toThrow(
      /The plan of a run never changes/,
    );
  });

  interface Change {
    config?: object;
    params?: object;
    items?: ReturnType<typeof range>;
    options?: object;
  }

  function start(
    outputDir: string,
    { config = {}, params = { split: "train" }, items = range(10), options = {} }: Change,
  ) {
    return new SquareRunner(new SquareProvider(config, params), { ...quiet, outputDir, ...options }).run(items);
  }
});
