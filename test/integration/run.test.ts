import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Items, MillraceError, range, readRecords, runStatus } from "millrace";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { calls, SquareProvider, SquareRunner, squares } from "../fixtures/runners/squares.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const quiet = { progress: false } as const;

beforeEach(() => {
  calls.length = 0;
  SquareProvider.built = 0;
  SquareProvider.tornDown = 0;
});

describe("forward", () => {
  it("gets one index after the other without batchSize", async () => {
    await new SquareRunner(new SquareProvider({}), quiet).run(range(5));
    expect(calls).toEqual([0, 1, 2, 3, 4]);
  });

  it("gets arrays with batchSize, the last one shorter", async () => {
    const records = await new SquareRunner(new SquareProvider({}), { ...quiet, batchSize: 2 }).run(range(5));
    expect(calls).toEqual([[0, 1], [2, 3], [4]]);
    expect(records).toEqual(squares([0, 1, 2, 3, 4]));
  });

  it.each([0, -1, 1.5, Number.NaN])("refuses batchSize %s", (batchSize) => {
    expect(() => new SquareRunner(new SquareProvider({}), { batchSize })).toThrow(/batchSize .* whole number from 1/);
  });

  it("gets an env that was built once and is torn down once", async () => {
    await new SquareRunner(new SquareProvider({}), quiet).run(range(300));
    expect([SquareProvider.built, SquareProvider.tornDown]).toEqual([1, 1]);
  });

  it("tears the env down when an item fails", async () => {
    const runner = new SquareRunner(new SquareProvider({ failAt: [3] }), quiet);
    await expect(runner.run(range(5))).rejects.toThrow("cannot do 3");
    expect(SquareProvider.tornDown).toBe(1);
  });
});

describe("items", () => {
  const cases: [string, Items, number[]][] = [
    ["no items", range(0), []],
    ["one item", range(7, 8), [7]],
    ["duplicates", [3, 1, 3, 3], [3, 1, 3, 3]],
    ["a descending range", range(5, 0, -2), [5, 3, 1]],
    ["a stepped range", range(0, 10, 3), [0, 3, 6, 9]],
    ["an irregular list", [9, 2, 5, 4], [9, 2, 5, 4]],
    ["a set", new Set([4, 2]), [4, 2]],
    ["an async iterable", later([2, 0, 1]), [2, 0, 1]],
  ];
  it.each(cases)("may be %s, and the records are in that order", async (_name, items, expected) => {
    expect(await new SquareRunner(new SquareProvider({}), quiet).run(items)).toEqual(squares(expected));
  });

  it("may be many and irregular", async () => {
    const items = Array.from({ length: 5000 }, (_, i) => (i * 7919) % 5003);
    const outputDir = temporaryFolder();
    expect(await new SquareRunner(new SquareProvider({}), { ...quiet, outputDir }).run(items)).toEqual(squares(items));
    calls.length = 0;
    expect(await new SquareRunner(new SquareProvider({}), { ...quiet, outputDir }).run(items)).toEqual(squares(items));
    expect(calls).toEqual([]);
  });

  it.each([
    ["a number", 5, /Did you mean run\(range\(5\)\)/],
    ["a fraction", [0, 1.5], /Item 1 of the list is 1.5/],
    ["a negative index", [-1], /Item 0 of the list is -1/],
    ["a string", ["a"], /Item 0 of the list is "a"/],
  ])("may not be %s", async (_name, items, message) => {
    await expect(new SquareRunner(new SquareProvider({}), quiet).run(items as unknown as Items)).rejects.toThrow(
      message,
    );
  });
});

describe("a run with an outputDir", () => {
  it("keeps its records, one folder a shard", async () => {
    const outputDir = temporaryFolder();
    const records = await new SquareRunner(new SquareProvider({}), { ...quiet, outputDir, shards: 4 }).run(range(10));
    expect(records).toEqual(squares([...range(10)]));
    expect(readdirSync(outputDir).sort()).toEqual(
      [".millrace", "manifest.json", "split.0", "split.1", "split.2", "split.3"].sort(),
    );
    expect([...readRecords(join(outputDir, "split.0", "records.jsonl"))]).toEqual(records.slice(0, 3));
    expect(readdirSync(join(outputDir, "split.1")).sort()).toEqual(["done", "records.jsonl"]);
  });

  it("makes one file of its records, in item order, with mergeFiles", async () => {
    const outputDir = temporaryFolder();
    const options = { ...quiet, outputDir, shards: 4, mergeFiles: true };
    const records = await new SquareRunner(new SquareProvider({ dropAt: [3] }), options).run(range(10));
    expect([...readRecords(join(outputDir, "records.jsonl"))]).toEqual(records);
    expect(records).toHaveLength(9);
  });

  it("can be read by Python", async (context) => {
    if (spawnSync("python3", ["--version"]).status !== 0) context.skip("python3 is missing");
    const outputDir = temporaryFolder();
    const options = { ...quiet, outputDir, mergeFiles: true };
    await new SquareRunner(new SquareProvider({}), options).run(range(1000));
    const program =
      "import json, sys; print(sum(json.loads(line)['value'] for line in open(sys.argv[1], encoding='utf8')))";
    const { stdout } = spawnSync("python3", ["-c", program, join(outputDir, "records.jsonl")], { encoding: "utf8" });
    expect(Number(stdout)).toBe(332_833_500);
  });

  it("uses shardSubdir as the run folder", async () => {
    const outputDir = temporaryFolder();
    await new SquareRunner(new SquareProvider({}), { ...quiet, outputDir, shardSubdir: "train/a" }).run(range(3));
    expect(existsSync(join(outputDir, "train", "a", "manifest.json"))).toBe(true);
  });

  it.each(["../out", "/etc", "a/../../b"])("refuses the shardSubdir %s", (shardSubdir) => {
    expect(() => new SquareRunner(new SquareProvider({}), { outputDir: "x", shardSubdir })).toThrow(/stays inside/);
  });

  it("drops items whose result is null, and counts them", async () => {
    const outputDir = temporaryFolder();
    const provider = new SquareProvider({ dropAt: [1, 2] });
    expect(await new SquareRunner(provider, { ...quiet, outputDir }).run(range(4))).toEqual(squares([0, 3]));
    expect((await runStatus(outputDir)).items).toEqual({ total: 4, done: 4, written: 2, dropped: 2, failed: 0 });
  });

  it("gives an empty result, and an empty file, when every item is dropped", async () => {
    const outputDir = temporaryFolder();
    const provider = new SquareProvider({ dropAt: [0, 1] });
    expect(
      await new SquareRunner(provider, { ...quiet, outputDir, batchSize: 2, mergeFiles: true }).run(range(2)),
    ).toEqual([]);
    expect(readFileSync(join(outputDir, "records.jsonl"), "utf8")).toBe("");
  });

  it("has the same bytes for any number of shards and any batch size", async () => {
    const outputs = [];
    for (const [shards, batchSize] of [
      [1, undefined],
      [7, undefined],
      [100, 3],
      [3, 50],
    ] as const) {
      const outputDir = temporaryFolder();
      await new SquareRunner(new SquareProvider({ dropAt: [5] }), {
        ...quiet,
        mergeFiles: true,
        outputDir,
        shards,
        batchSize,
      }).run(range(100));
      outputs.push(readFileSync(join(outputDir, "records.jsonl"), "utf8"));
    }
    expect(new Set(outputs).size).toBe(1);
  });

  it("leaves no lease, attempt or worker file behind", async () => {
    const outputDir = temporaryFolder();
    await new SquareRunner(new SquareProvider({}), { ...quiet, outputDir }).run(range(20));
    for (const folder of ["leases", "attempts", "workers"])
      expect(readdirSync(join(outputDir, ".millrace", folder))).toEqual([]);
  });
});

describe("a run without an outputDir", () => {
  it("returns its records in memory and leaves no folder behind", async () => {
    const place = emptyTemporaryPlace();
    const records = await new SquareRunner(new SquareProvider({}), quiet).run(range(3));
    expect(records).toEqual(squares([0, 1, 2]));
    expect(readdirSync(place)).toEqual([]);
  });

  it("leaves no folder behind when it fails", async () => {
    const place = emptyTemporaryPlace();
    await expect(new SquareRunner(new SquareProvider({ failAt: [0] }), quiet).run(range(3))).rejects.toThrow(
      MillraceError,
    );
    expect(readdirSync(place)).toEqual([]);
  });
});

describe("the records of a run", () => {
  it("are an ordinary array, read from the file when first looked at", async () => {
    const outputDir = temporaryFolder();
    const records = await new SquareRunner(new SquareProvider({}), { ...quiet, outputDir }).run(range(3));
    expect(Array.isArray(records)).toBe(true);
    expect(records.length).toBe(3);
    expect(records.map((record) => record.value)).toEqual([0, 1, 4]);
    expect(JSON.stringify(records)).toBe(JSON.stringify(squares([0, 1, 2])));
    rmSync(outputDir, { recursive: true });
    mkdirSync(outputDir);
    expect(records.at(-1)).toEqual({ item: 2, value: 4 });
  });
});

async function* later(items: readonly number[]): AsyncGenerator<number> {
  for (const item of items) {
    await Promise.resolve();
    yield item;
  }
}

/** A place for temporary folders in which nothing else makes any. */
function emptyTemporaryPlace(): string {
  const place = temporaryFolder();
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = place;
  onTestFinished(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  });
  return place;
}
