import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import {
  BaseRunner,
  EnvironmentProvider,
  ItemError,
  RetryAfterError,
  type RunOptions,
  range,
  readFailures,
} from "millrace";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** What an item does, and after how many milliseconds. */
interface Act {
  readonly ms: number;
  readonly what: "answer" | "drop" | "fail" | "fail once" | "hang" | "item error";
}

interface Env {
  readonly acts: readonly Act[];
  readonly tried: Map<number, number>;
  open: number;
  maxOpen: number;
}

/** The env is no field of the provider: then it would be part of the run's identity. */
function providerOf(env: Env): EnvironmentProvider<Env> {
  class ActProvider extends EnvironmentProvider<Env> {
    buildEnvLocal(): Env {
      return env;
    }
  }
  return new ActProvider({}, {});
}

async function act(idx: number, env: Env, signal?: AbortSignal): Promise<object | null | ItemError> {
  const { ms, what } = env.acts[idx]!;
  const tries = (env.tried.get(idx) ?? 0) + 1;
  env.tried.set(idx, tries);
  env.maxOpen = Math.max(env.maxOpen, ++env.open);
  try {
    if (what === "hang") await sleep(60_000, undefined, { signal });
    if (ms > 0) await sleep(ms);
    if (what === "fail" || (what === "fail once" && tries === 1)) throw new Error(`item ${idx} fails`);
    if (what === "item error") return new ItemError(`item ${idx} is bad`);
    return what === "drop" ? null : { idx, bytes: new Uint8Array([idx % 256, 7]), text: `größe ${idx}` };
  } finally {
    env.open--;
  }
}

class ActRunner extends BaseRunner<Env, object> {
  static forward(idx: number, env: Env, { signal }: { signal: AbortSignal }) {
    return act(idx, env, signal);
  }
}

class BatchActRunner extends BaseRunner<Env, object, object, readonly number[]> {
  static forward(indices: readonly number[], env: Env, { signal }: { signal: AbortSignal }) {
    return Promise.all(indices.map((idx) => act(idx, env, signal)));
  }
}

function envOf(acts: readonly Act[]): Env {
  return { acts, tried: new Map(), open: 0, maxOpen: 0 };
}

const quiet = { progress: false, onError: "skip", retries: 1, retryDelay: 1, itemTimeout: 40 } as const;

function outputOf(dir: string): { records: string; failures: unknown } {
  const shards = readdirSync(dir).filter((name) => name.startsWith("split."));
  const ids = shards.map((name) => Number(name.slice(6))).sort((a, b) => a - b);
  return {
    records: ids.map((id) => readIfThere(join(dir, `split.${id}`, "records.jsonl"))).join(""),
    failures: [...readFailures(dir)].map(({ item, error, position }) => ({ item, error, position })),
  };
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

const anyAct = fc.record({
  ms: fc.integer({ min: 0, max: 6 }),
  what: fc.oneof(
    { weight: 10, arbitrary: fc.constant("answer" as const) },
    fc.constantFrom("drop" as const, "fail" as const, "fail once" as const, "item error" as const),
  ),
});

describe("several calls of forward open", () => {
  it("write the bytes of one after another, whatever the items do and in whatever order they answer", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyAct, { minLength: 1, maxLength: 40 }),
        fc.record({
          concurrency: fc.constantFrom(2, 7, 64),
          shards: fc.integer({ min: 1, max: 12 }),
          batchSize: fc.constantFrom(undefined, 1, 3, 8),
          stopAfterMs: fc.constantFrom(undefined, undefined, 3, 10),
        }),
        async (acts, { concurrency, shards, batchSize, stopAfterMs }) => {
          const [expectedDir, outputDir] = [temporaryFolder(), temporaryFolder()];
          const start = (dir: string, options: RunOptions) => {
            const env = envOf(acts);
            // A busy machine must not time items out: none of them hangs.
            const all = { ...quiet, itemTimeout: 60_000, outputDir: dir, shards, ...options };
            const running =
              batchSize === undefined
                ? new ActRunner(providerOf(env), all).run(range(acts.length))
                : new BatchActRunner(providerOf(env), { ...all, batchSize }).run(range(acts.length));
            return { env, running };
          };
          // Halves of a batch call items again, which then do not fail any more.
          const hasOnce = batchSize !== undefined && acts.some(({ what }) => what === "fail once" || what === "fail");
          await start(expectedDir, {}).running;
          if (stopAfterMs !== undefined) {
            const signal = AbortSignal.timeout(stopAfterMs);
            await start(outputDir, { concurrency, signal }).running.catch((error: unknown) =>
              expect(error).toMatchObject({ code: "RUN_STOPPED" }),
            );
          }
          const { env, running } = start(outputDir, { concurrency });
          await running;
          expect(outputOf(outputDir)).toEqual(outputOf(expectedDir));
          expect(env.maxOpen).toBeLessThanOrEqual(concurrency * (batchSize ?? 1));
          if (stopAfterMs === undefined && !hasOnce)
            expect([...env.tried.values()].every((tries) => tries <= 2)).toBe(true);
          expect(readdirSync(join(outputDir, ".millrace", "attempts"))).toEqual([]);
        },
      ),
      { numRuns: Number(process.env["MILLRACE_PROPERTY_RUNS"] ?? 25), endOnFailure: true },
    );
  });

  it("are as many as asked for, over the borders of shards", async () => {
    const env = envOf(Array.from({ length: 60 }, () => ({ ms: 20, what: "answer" as const })));
    await new ActRunner(providerOf(env), { progress: false, shards: 60, concurrency: 16 }).run(range(60));
    expect(env.maxOpen).toBe(16);
  });

  it("hold a bounded number of answers while the first item does not answer", async () => {
    const concurrency = 4;
    const acts = Array.from({ length: 2000 }, (_, i) => ({
      ms: 0,
      what: i === 0 ? ("hang" as const) : ("answer" as const),
    }));
    const env = envOf(acts);
    const outputDir = temporaryFolder();
    const runner = new ActRunner(providerOf(env), {
      ...quiet,
      outputDir,
      retries: 0,
      itemTimeout: 1500,
      concurrency,
      shards: 1,
    });
    const running = runner.run(range(acts.length));
    await expect.poll(() => env.open).toBe(1);
    await sleep(100);
    expect(env.tried.size).toBeLessThanOrEqual(16 * concurrency);
    await running;
    expect([...readFailures(outputDir)]).toMatchObject([{ item: 0, error: { code: "ITEM_TIMEOUT" } }]);
    expect(env.tried.size).toBe(2000);
  });

  it("hold no more bytes of answers than maxWaitingBytes", async () => {
    const acts = Array.from({ length: 400 }, (_, i) => ({
      ms: 0,
      what: i === 0 ? ("hang" as const) : ("answer" as const),
    }));
    const env = envOf(acts);
    const options = { ...quiet, retries: 0, itemTimeout: 1000, concurrency: 64, shards: 1, maxWaitingBytes: 1000 };
    const running = new ActRunner(providerOf(env), options).run(range(acts.length));
    await expect.poll(() => env.open).toBe(1);
    await sleep(50);
    // About a hundred bytes each, and those that were open when the limit was reached.
    expect(env.tried.size).toBeLessThanOrEqual(64 + 20);
    await running;
    expect(env.tried.size).toBe(400);
  });

  it("end when the run is stopped, and the items that did not answer are run by the next start alone", async () => {
    const acts = Array.from({ length: 30 }, (_, i) => ({
      ms: 0,
      what: i % 3 === 0 ? ("hang" as const) : ("answer" as const),
    }));
    const env = envOf(acts);
    const outputDir = temporaryFolder();
    const stop = new AbortController();
    const options = { progress: false, outputDir, shards: 3, concurrency: 64 };
    const running = new ActRunner(providerOf(env), { ...options, signal: stop.signal }).run(range(30));
    await expect.poll(() => [env.open, env.tried.size]).toEqual([10, 30]);
    stop.abort();
    await expect(running).rejects.toMatchObject({ code: "RUN_STOPPED" });
    expect(env.open).toBe(0);
    const again = envOf(acts.map(({ ms }) => ({ ms, what: "answer" as const })));
    const records = await new ActRunner(providerOf(again), { ...options, concurrency: 2 }).run(range(30));
    expect(records.map((record) => (record as { idx: number }).idx)).toEqual([...range(30)]);
    expect([...again.tried.keys()].sort((a, b) => a - b)).toEqual([...range(30)].filter((idx) => idx % 3 === 0));
  });
});

describe("a call of forward", () => {
  it("gets a signal that aborts when the item has used up its time", async () => {
    const reasons: unknown[] = [];
    class Listener extends BaseRunner<Env, object> {
      static async forward(idx: number, _env: Env, { signal }: { signal: AbortSignal }) {
        await new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            reasons.push((signal.reason as { code?: string }).code);
            reject(new Error(`aborted ${idx}`));
          });
        });
        return {};
      }
    }
    for (const concurrency of [1, 3]) {
      const outputDir = temporaryFolder();
      const options = { progress: false, onError: "skip", itemTimeout: 30, outputDir, concurrency } as const;
      await new Listener(providerOf(envOf([])), options).run(range(2));
      expect([...readFailures(outputDir)].map(({ error }) => error.code)).toEqual(["ITEM_TIMEOUT", "ITEM_TIMEOUT"]);
    }
    expect(reasons).toEqual(["ITEM_TIMEOUT", "ITEM_TIMEOUT", "ITEM_TIMEOUT", "ITEM_TIMEOUT"]);
  });

  it.each([1, 4])("ends at once when the run is stopped, and counts as no failure (%i open)", async (concurrency) => {
    const env = envOf([{ ms: 0, what: "hang" }]);
    const outputDir = temporaryFolder();
    const stop = new AbortController();
    const options = { progress: false, outputDir, concurrency, signal: stop.signal };
    const running = new ActRunner(providerOf(env), options).run(range(1));
    await expect.poll(() => env.open).toBe(1);
    stop.abort();
    await expect(running).rejects.toMatchObject({ code: "RUN_STOPPED" });
    expect(env.tried.get(0)).toBe(1);
  });

  it.each([1, 5])("knows its attempt, its try and its worker (%i open)", async (concurrency) => {
    const seen: unknown[] = [];
    class Curious extends BaseRunner<Env, object> {
      static forward(
        _idx: number,
        _env: Env,
        { attempt, tries, worker }: { attempt: number; tries: number; worker: number },
      ) {
        seen.push([attempt, tries, worker]);
        if (tries < 3) throw new Error("again");
        return {};
      }
    }
    const options = { progress: false, retries: 2, retryDelay: 1, concurrency };
    await new Curious(providerOf(envOf([])), options).run(range(1));
    expect(seen).toEqual([
      [1, 1, 0],
      [1, 2, 0],
      [1, 3, 0],
    ]);
  });
});

describe("a further try", () => {
  it("waits as long as the server asks, and other items continue meanwhile", async () => {
    const order: string[] = [];
    class Busy extends BaseRunner<Env, object> {
      static async forward(idx: number, _env: Env, { tries }: { tries: number }) {
        order.push(`${idx}.${tries}`);
        await sleep(1);
        if (idx === 0 && tries === 1) throw new RetryAfterError("busy", { retryAfterMs: 150 });
        return { idx };
      }
    }
    const beganMs = performance.now();
    const options = { progress: false, retries: 1, retryDelay: 0, concurrency: 2, shards: 4 };
    const records = await new Busy(providerOf(envOf([])), options).run(range(20));
    expect(performance.now() - beganMs).toBeGreaterThan(149);
    expect(records).toHaveLength(20);
    expect(order.at(-1)).toBe("0.2");
  });

  it.each([1, 3])("is made only for errors that retryIf wants (%i open)", async (concurrency) => {
    const tried: number[] = [];
    class Choosy extends BaseRunner<Env, object> {
      static forward(idx: number) {
        tried.push(idx);
        throw new Error(idx === 0 ? "temporary" : "permanent");
      }
      static retryIf(error: unknown) {
        return (error as Error).message === "temporary";
      }
    }
    const outputDir = temporaryFolder();
    const options = { progress: false, onError: "skip", retries: 2, retryDelay: 1, concurrency, outputDir } as const;
    await new Choosy(providerOf(envOf([])), options).run(range(2));
    expect(tried.filter((idx) => idx === 0)).toHaveLength(3);
    expect(tried.filter((idx) => idx === 1)).toHaveLength(1);
    expect([...readFailures(outputDir)].map(({ tries }) => tries)).toEqual([3, 1]);
  });

  it.each([1, 4])("of a batch is one of the whole batch where the server is busy (%i open)", async (concurrency) => {
    const calls: number[] = [];
    class BusyBatches extends BaseRunner<Env, object, object, readonly number[]> {
      static forward(indices: readonly number[], _env: Env, { tries }: { tries: number }) {
        calls.push(indices.length);
        if (tries === 1) throw new RetryAfterError("busy", { status: 429 });
        return indices.map((idx) => ({ idx }));
      }
    }
    const options = { progress: false, retries: 1, retryDelay: 1, batchSize: 8, shards: 2, concurrency };
    await new BusyBatches(providerOf(envOf([])), options).run(range(32));
    expect(calls).toEqual(Array.from({ length: 8 }, () => 8));
  });

  it.each([1, 4])("is not made for an item of a batch that failed alone (%i open)", async (concurrency) => {
    const acts = Array.from({ length: 64 }, (_, i) => ({
      ms: 0,
      what: i % 20 === 3 ? ("item error" as const) : ("answer" as const),
    }));
    const env = envOf(acts);
    const outputDir = temporaryFolder();
    const options = { progress: false, onError: "skip", retries: 5, batchSize: 16, outputDir, concurrency } as const;
    const records = await new BatchActRunner(providerOf(env), options).run(range(64));
    expect(records).toHaveLength(60);
    expect([...env.tried.values()].every((tries) => tries === 1)).toBe(true);
    expect([...readFailures(outputDir)]).toMatchObject(
      [3, 23, 43, 63].map((item) => ({ item, tries: 1, error: { name: "ItemError", message: `item ${item} is bad` } })),
    );
  });
});

describe("prefetch", () => {
  it.each([1, 3])(
    "runs ahead of forward, bounded, and forward gets what it returned (%i open)",
    async (concurrency) => {
      let [fetched, used, maxAhead] = [0, 0, 0];
      class Ahead extends BaseRunner<Env, object> {
        static async prefetch(idx: number) {
          maxAhead = Math.max(maxAhead, ++fetched - used);
          await sleep(2);
          return new Float32Array([idx]);
        }
        static forward(idx: number, _env: Env, { prefetched }: { prefetched: Float32Array }) {
          used++;
          return { idx, value: prefetched[0] };
        }
      }
      const options = { progress: false, shards: 3, prefetchItems: 5, concurrency };
      const records = await new Ahead(providerOf(envOf([])), options).run(range(60));
      expect(records).toEqual([...range(60)].map((idx) => ({ idx, value: idx })));
      expect(fetched).toBe(60);
      expect(maxAhead).toBeGreaterThan(1);
      // Of each shard that is open: those ahead, and those that are in a call.
      expect(maxAhead).toBeLessThanOrEqual((concurrency + 1) * (5 + concurrency));
    },
  );

  it("fails its item, and is tried again with it", async () => {
    const tries: number[] = [];
    class Flaky extends BaseRunner<Env, object, object, readonly number[]> {
      static prefetch(idx: number) {
        tries.push(idx);
        if (idx === 2 || (idx === 5 && tries.filter((one) => one === 5).length === 1)) throw new Error("unreadable");
        return idx * 2;
      }
      static forward(indices: readonly number[], _env: Env, { prefetched }: { prefetched: readonly number[] }) {
        return indices.map((idx, i) => ({ idx, double: prefetched[i] }));
      }
    }
    const outputDir = temporaryFolder();
    const options = { progress: false, onError: "skip", retries: 1, retryDelay: 1, batchSize: 3, outputDir } as const;
    const records = await new Flaky(providerOf(envOf([])), options).run(range(9));
    const expected = [...range(9)].filter((idx) => idx !== 2);
    expect(records).toEqual(expected.map((idx) => ({ idx, double: 2 * idx })));
    expect([...readFailures(outputDir)]).toMatchObject([{ item: 2, tries: 2 }]);
  });

  it.each([1, 3])(
    "that takes longer than itemTimeout fails its item; a further try fetches again (%i open)",
    async (concurrency) => {
      const tries: number[] = [];
      class Stuck extends BaseRunner<Env, object> {
        static prefetch(idx: number) {
          tries.push(idx);
          const isStuck = idx === 2 || (idx === 5 && tries.filter((one) => one === 5).length === 1);
          return isStuck ? new Promise<number>(() => {}) : idx;
        }
        static forward(idx: number, _env: Env, { prefetched }: { prefetched: number }) {
          return { idx, prefetched };
        }
      }
      const outputDir = temporaryFolder();
      const options = { progress: false, onError: "skip", retries: 1, retryDelay: 1, itemTimeout: 200 } as const;
      const records = await new Stuck(providerOf(envOf([])), { ...options, concurrency, outputDir }).run(range(9));
      expect(records).toEqual([...range(9)].filter((idx) => idx !== 2).map((idx) => ({ idx, prefetched: idx })));
      const message = expect.stringContaining("prefetch took more than 200 ms for item 2");
      expect([...readFailures(outputDir)]).toMatchObject([
        { item: 2, tries: 2, error: { code: "ITEM_TIMEOUT", message } },
      ]);
    },
  );
});
