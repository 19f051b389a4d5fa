import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  BaseRunner,
  BatchRunner,
  EnvironmentProvider,
  type FailureRecord,
  range,
  readFailures,
  runStatus,
  type ShardState,
} from "millrace";
import { beforeEach, describe, expect, it } from "vitest";
import { calls, itemsCalled, SquareProvider, SquareRunner, squares } from "../fixtures/runners/squares.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const quiet = { progress: false } as const;

beforeEach(() => {
  calls.length = 0;
});

interface Env {
  readonly dataset: number[];
  readonly model: { scale: number };
  readonly helper?: unknown;
}

class Provider extends EnvironmentProvider<Env> {
  buildEnvLocal(): Env {
    return { dataset: [1, 2, 3, 4], model: { scale: 2 } };
  }
}

function failures(outputDir: string): FailureRecord[] {
  return [...readFailures(outputDir)];
}

describe("onError: fail", () => {
  it("stops with the item, the reason and what to do", async () => {
    const runner = new SquareRunner(new SquareProvider({ failAt: [2] }), quiet);
    await expect(runner.run(range(5))).rejects.toMatchObject({
      name: "MillraceError",
      code: "ITEM_FAILED",
      item: 2,
      message: expect.stringMatching(/SquareRunner\.forward failed at item 2: cannot do 2[\s\S]*onError: "skip"/),
      cause: expect.objectContaining({ message: "cannot do 2" }),
    });
  });
});

describe("onError: skip", () => {
  it("writes the failed item down and completes the rest", async () => {
    const outputDir = temporaryFolder();
    const runner = new SquareRunner(new SquareProvider({ failAt: [1, 3] }), {
      ...quiet,
      outputDir,
      onError: "skip",
      shards: 2,
    });
    expect(await runner.run(range(5))).toEqual(squares([0, 2, 4]));
    expect(failures(outputDir)).toMatchObject([
      {
        item: 1,
        position: 1,
        error: { name: "Error", message: "cannot do 1" },
        stack: expect.stringContaining("squares.ts"),
        attempt: 1,
        tries: 1,
      },
      { item: 3, position: 0, error: { message: "cannot do 3" } },
    ]);
    expect((await runStatus(outputDir)).items).toMatchObject({ done: 5, written: 3, failed: 2 });
  });

  it("splits a failing batch in halves until the bad item is alone", async () => {
    const outputDir = temporaryFolder();
    const runner = new SquareRunner(new SquareProvider({ failAt: [5] }), {
      ...quiet,
      outputDir,
      onError: "skip",
      batchSize: 8,
    });
    expect(await runner.run(range(8))).toEqual(squares([0, 1, 2, 3, 4, 6, 7]));
    expect(calls).toEqual([[0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 2, 3], [4, 5, 6, 7], [4, 5], [4], [5], [6, 7]]);
    expect(failures(outputDir).map(({ item }) => item)).toEqual([5]);
  });

  it("stops when more items fail than maxFailures allows", async () => {
    const config = { failAt: [0, 1, 2, 3] };
    const options = { ...quiet, outputDir: temporaryFolder(), onError: "skip", maxFailures: 2 } as const;
    await expect(new SquareRunner(new SquareProvider(config), options).run(range(10))).rejects.toMatchObject({
      code: "TOO_MANY_FAILURES",
    });
    expect(itemsCalled()).toEqual([0, 1, 2]);
  });

  it("takes maxFailures below 1 as a share of the items", async () => {
    const options = { ...quiet, onError: "skip", maxFailures: 0.2 } as const;
    await expect(
      new SquareRunner(new SquareProvider({ failAt: [1, 2] }), options).run(range(10)),
    ).resolves.toHaveLength(8);
    await expect(
      new SquareRunner(new SquareProvider({ failAt: [1, 2, 3] }), options).run(range(10)),
    ).rejects.toMatchObject({
      code: "TOO_MANY_FAILURES",
    });
  });

  it("counts the failures of earlier sessions too", async () => {
    const outputDir = temporaryFolder();
    const config = { failAt: [0, 1, 2, 3] };
    const options = { ...quiet, outputDir, onError: "skip", maxFailures: 2, shards: 10 } as const;
    await expect(new SquareRunner(new SquareProvider(config), options).run(range(10))).rejects.toMatchObject({
      code: "TOO_MANY_FAILURES",
    });
    await expect(
      new SquareRunner(new SquareProvider(config), { ...options, maxFailures: 3 }).run(range(10)),
    ).rejects.toMatchObject({
      code: "TOO_MANY_FAILURES",
    });
    await expect(
      new SquareRunner(new SquareProvider(config), { ...options, maxFailures: 4 }).run(range(10)),
    ).resolves.toHaveLength(6);
  });

  it("treats a record that cannot be written as the item's failure, also within a batch", async () => {
    class Odd extends BatchRunner<Env> {
      static forward(idx: number[]) {
        return idx.map((i) => (i === 1 ? { big: 1n } : i === 2 ? () => 0 : i));
      }
    }
    const outputDir = temporaryFolder();
    expect(
      await new Odd(new Provider({}), { ...quiet, outputDir, onError: "skip", batchSize: 4 }).run(range(4)),
    ).toEqual([0, 3]);
    expect(failures(outputDir).map(({ item, error }) => [item, error.code])).toEqual([
      [1, "BAD_RECORD"],
      [2, "BAD_RECORD"],
    ]);
  });
});

describe("retries", () => {
  it("try a failing item again, and only that one", async () => {
    const tries = new Map<number, number>();
    class Flaky extends BaseRunner<Env, number> {
      static forward(idx: number) {
        tries.set(idx, (tries.get(idx) ?? 0) + 1);
        if (idx === 2 && tries.get(2)! < 3) throw new Error("not yet");
        return idx;
      }
    }
    expect(await new Flaky(new Provider({}), { ...quiet, retries: 2 }).run(range(4))).toEqual([0, 1, 2, 3]);
    expect([...tries.values()]).toEqual([1, 1, 3, 1]);
  });

  it("are counted in the failure", async () => {
    const outputDir = temporaryFolder();
    const options = { ...quiet, outputDir, onError: "skip", retries: 2 } as const;
    await new SquareRunner(new SquareProvider({ failAt: [0] }), options).run(range(1));
    expect(failures(outputDir)[0]).toMatchObject({ item: 0, tries: 3 });
    expect(calls).toEqual([0, 0, 0]);
  });
});

describe("itemTimeout", () => {
  it("ends an asynchronous item that takes too long", async () => {
    class Slow extends BaseRunner<Env, number> {
      static forward(idx: number) {
        return idx === 1 ? new Promise<number>(() => {}) : Promise.resolve(idx);
      }
    }
    const outputDir = temporaryFolder();
    const options = { ...quiet, outputDir, onError: "skip", itemTimeout: 50 } as const;
    expect(await new Slow(new Provider({}), options).run(range(3))).toEqual([0, 2]);
    expect(failures(outputDir)[0]).toMatchObject({ item: 1, error: { code: "ITEM_TIMEOUT" } });
  });

  it("ignores what such an item does later", async () => {
    class Late extends BaseRunner<Env, number> {
      static forward(idx: number) {
        return new Promise<number>((resolve, reject) =>
          setTimeout(() => (idx === 0 ? reject(new Error("late")) : resolve(idx)), idx === 0 ? 60 : 1),
        );
      }
    }
    expect(await new Late(new Provider({}), { ...quiet, onError: "skip", itemTimeout: 30 }).run(range(2))).toEqual([1]);
    await new Promise((resolve) => setTimeout(resolve, 60));
  });
});

describe("retryFailed", () => {
  const config = { failAt: [1, 4, 5], dropAt: [2] };

  async function runWithFailures(options: object = {}) {
    const outputDir = temporaryFolder();
    const all = { ...quiet, outputDir, onError: "skip", shards: 2, acceptChange: true, ...options } as const;
    await new SquareRunner(new SquareProvider(config), all).run(range(8));
    calls.length = 0;
    return { outputDir, all };
  }

  it.each([{}, { batchSize: 3 }])(
    "runs the failed items alone and inserts their records in item order (%o)",
    async (options) => {
      const { outputDir, all } = await runWithFailures(options);
      const records = await new SquareRunner(new SquareProvider({ dropAt: [2] }), all).retryFailed();
      expect(itemsCalled()).toEqual([1, 4, 5]);
      expect(records).toEqual(squares([0, 1, 3, 4, 5, 6, 7]));
      expect(failures(outputDir)).toEqual([]);
      expect((await runStatus(outputDir)).items).toEqual({ total: 8, done: 8, written: 7, dropped: 1, failed: 0 });
    },
  );

  it("keeps what fails again, and inserts its record in item order at a later try", async () => {
    const { outputDir, all } = await runWithFailures();
    const provider = new SquareProvider({ ...config, failAt: [4] });
    expect(await new SquareRunner(provider, all).retryFailed()).toEqual(squares([0, 1, 3, 5, 6, 7]));
    expect(failures(outputDir).map(({ item, attempt }) => [item, attempt])).toEqual([[4, 2]]);
    expect(await new SquareRunner(new SquareProvider({ dropAt: [2] }), all).retryFailed()).toEqual(
      squares([0, 1, 3, 4, 5, 6, 7]),
    );
  });

  it("takes only items whose error matches", async () => {
    const { outputDir, all } = await runWithFailures();
    await new SquareRunner(new SquareProvider({ dropAt: [2] }), all).retryFailed({ error: /do [45]/ });
    expect(itemsCalled()).toEqual([4, 5]);
    expect(failures(outputDir).map(({ item }) => item)).toEqual([1]);
  });

  it("leaves a run without failures as it is", async () => {
    const outputDir = temporaryFolder();
    const runner = new SquareRunner(new SquareProvider({}), { ...quiet, outputDir });
    await runner.run(range(3));
    const before = readFileSync(join(outputDir, "split.0", "done"), "utf8");
    expect(await runner.retryFailed()).toEqual(squares([0, 1, 2]));
    expect(readFileSync(join(outputDir, "split.0", "done"), "utf8")).toBe(before);
  });

  it("computes a shard whole whose writers cannot say where an item belongs", async () => {
    const outputDir = temporaryFolder();
    let isBroken = true;
    const seen: number[] = [];
    class Opaque extends BaseRunner<Env, number> {
      static forward(idx: number) {
        seen.push(idx);
        if (isBroken && idx === 1) throw new Error("broken");
        return idx;
      }
      static override openWriters() {
        return { handle: { anything: true } };
      }
      static override writeRecord(_writers: object, result: number, state: ShardState & { sum?: number }) {
        state.sum = (state.sum ?? 0) + result;
      }
      override merge() {
        return [...seen];
      }
    }
    const options = { ...quiet, outputDir, shards: 2, onError: "skip" } as const;
    await new Opaque(new Provider({}), options).run(range(4));
    isBroken = false;
    seen.length = 0;
    expect(await new Opaque(new Provider({}), options).retryFailed()).toEqual([0, 1]);
    expect((await runStatus(outputDir)).items.failed).toBe(0);
  });

  it("says so where there is no run", async () => {
    const outputDir = temporaryFolder();
    await expect(new SquareRunner(new SquareProvider({}), { ...quiet, outputDir }).retryFailed()).rejects.toMatchObject(
      { code: "RUN_NOT_FOUND" },
    );
    await expect(new SquareRunner(new SquareProvider({}), quiet).retryFailed()).rejects.toThrow(/needs the outputDir/);
  });
});

describe("the likeliest mistakes", () => {
  it("a misspelt env key is named, with the nearest one", async () => {
    class Misspelt extends BaseRunner<Env, number> {
      static forward(idx: number, { modle }: { modle: Env["model"] }) {
        return idx * modle.scale;
      }
    }
    await expect(new Misspelt(new Provider({}), quiet).run(range(1))).rejects.toThrow(
      /`modle` \(did you mean `model`\?\)/,
    );
  });

  it("an optional key that is not built is no mistake", async () => {
    class Optional extends BaseRunner<Env, number> {
      static forward(idx: number, { dataset, helper }: Env) {
        return helper === undefined ? dataset[idx]! : 0;
      }
    }
    expect(await new Optional(new Provider({}), quiet).run(range(2))).toEqual([1, 2]);
  });

  it("a forward that takes a batch for a number gets an error that says so", async () => {
    class TakesNumber extends BatchRunner<Env, number> {
      static forward(idx: number) {
        return idx * 2;
      }
    }
    await expect(new TakesNumber(new Provider({}), { ...quiet, batchSize: 2 }).run(range(2))).rejects.toMatchObject({
      code: "BATCH_RESULT",
      message: expect.stringMatching(/got an array of 2 indices and returned NaN[\s\S]*array with one result for each/),
    });
    class Indexes extends BatchRunner<Env, number> {
      static forward(idx: number, { dataset }: Env) {
        return dataset[idx]!.toFixed(0);
      }
    }
    await expect(new Indexes(new Provider({}), { ...quiet, batchSize: 2 }).run(range(2))).rejects.toThrow(
      /got \[0\] and returned "1"/,
    );
  });

  it("a provider that cannot build is named, and nothing is locked", async () => {
    class Broken extends EnvironmentProvider<Env> {
      buildEnvLocal(): Env {
        throw new Error("model.onnx not found");
      }
    }
    const options = { ...quiet, outputDir: temporaryFolder() };
    class Any extends BaseRunner<Env, number> {
      static forward(idx: number) {
        return idx;
      }
    }
    await expect(new Any(new Broken({}), options).run(range(2))).rejects.toMatchObject({
      code: "ENV_FAILED",
      message: expect.stringContaining("Broken could not build the env: model.onnx not found"),
    });
    await expect(new Any(new Provider({}), { ...options, acceptChange: true }).run(range(2))).resolves.toHaveLength(2);
  });

  it("an unknown option is refused with the nearest one, also in snake case", () => {
    expect(() => new SquareRunner(new SquareProvider({}), { output_dir: "x" } as object)).toThrow(
      /Did you mean outputDir\?/,
    );
    expect(() => new SquareRunner(new SquareProvider({}), { batchsize: 2 } as object)).toThrow(
      /Did you mean batchSize\?/,
    );
  });

  it("an env without an option that it cannot do without is refused, before anything is made", async () => {
    const options = { ...quiet, parallel: { env: "kube" } } as const;
    await expect(new SquareRunner(new SquareProvider({}), options).run(range(1))).rejects.toThrow(
      /parallel\.options\.image is missing/,
    );
  });

  it("something that is no provider is refused", () => {
    expect(() => new SquareRunner({ config: {} } as unknown as SquareProvider)).toThrow(
      /got an object as its provider/,
    );
  });
});

describe("errors with texts of megabytes", () => {
  it("stay small in failures.jsonl", async () => {
    const outputDir = temporaryFolder();
    class LongErrors extends BaseRunner<Env, number> {
      static forward(): number {
        throw new Error("x".repeat(10_000_000));
      }
    }
    const runner = new LongErrors(new Provider({}), { ...quiet, outputDir, onError: "skip", shards: 1 });
    await runner.run(range(4));
    const found = failures(outputDir);
    expect(found).toHaveLength(4);
    expect(found[0]!.error.message).toContain("bytes more were cut off");
    expect(JSON.stringify(found).length).toBeLessThan(4 * 2 * 66_000);
  });
});
