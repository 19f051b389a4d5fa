import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RetryAfterError } from "../../../../src/errors/retry-after-error.ts";
import { checkRateLimit } from "../../../../src/run-folder/rate/rate-limit.ts";
import { largestBurst, RateWorld } from "../../../support/rate-world.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

// Times near 1.8e12 ms have a resolution of 0.0002 ms.
const rounding = 0.01;

describe("the rate limit of a run", () => {
  it.each([
    [1, 50, 64, 200],
    [2, 50, 64, 200],
    [4, 50, 8, 20],
    [2, 1000, 200, 100],
    [3, 2.5, 16, 100],
    [1, 0.2, 2, 100],
    [8, 20, 4, 30],
  ])(
    "%i workers with work enough reach a rate of %d, and never more",
    async (workers, perSecond, concurrency, callMs) => {
      const limit = checkRateLimit({ perSecond });
      const world = new RateWorld({ random: seededRandom(workers) });
      for (let i = 0; i < workers; i++)
        world.addWorker({ limit, concurrency, callMs: () => callMs, skewMs: i * 77_777 });
      const seconds = Math.max(20, 20 / perSecond);
      await world.run(seconds * 1000);
      expect(largestBurst(world.begun, perSecond)).toBeLessThanOrEqual(limit.burst + rounding);
      expect(world.begun.length).toBeGreaterThanOrEqual(0.95 * seconds * perSecond - 1);
    },
  );

  const worker = fc.record({
    skewMs: fc.double({ min: -1e9, max: 1e9, noNaN: true }),
    drift: fc.double({ min: -3e-4, max: 3e-4, noNaN: true }),
    concurrency: fc.integer({ min: 1, max: 64 }),
    callMs: fc.integer({ min: 0, max: 2000 }),
    startMs: fc.integer({ min: 0, max: 8000 }),
    livesMs: fc.option(fc.integer({ min: 0, max: 8000 }), { nil: Number.POSITIVE_INFINITY }),
  });

  it("holds for any workers, clocks, crashes and calls", async () => {
    const worlds = fc.record({
      seed: fc.integer(),
      perSecond: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.double({ min: 0.1, max: 20, noNaN: true })),
      burst: fc.option(fc.double({ min: 1, max: 60, noNaN: true }), { nil: undefined }),
      adaptive: fc.boolean(),
      tickMs: fc.constantFrom(0.001, 1, 4, 10),
      fileMs: fc.constantFrom(0.05, 0.5, 2),
      lateMs: fc.constantFrom(0, 3, 40, 400),
      workers: fc.array(worker, { minLength: 1, maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(worlds, async ({ seed, perSecond, burst, adaptive, workers, ...file }) => {
        const limit = checkRateLimit({ perSecond, burst, adaptive });
        const random = seededRandom(seed);
        const world = new RateWorld({ random, ...file });
        for (const { callMs, livesMs, ...others } of workers) {
          const limiter = world.addWorker({
            ...others,
            limit,
            callMs: () => 2 * callMs * random(),
            killedMs: others.startMs + livesMs,
          });
          world.at(world.nowMs + 12_000 * random(), () => limiter.slowDown(new RetryAfterError("", { status: 429 })));
        }
        await world.run(12_000);
        expect(largestBurst(world.begun, perSecond)).toBeLessThanOrEqual(limit.burst + rounding);
      }),
      { numRuns: Number(process.env["MILLRACE_RATE_WORLDS"] ?? 60) },
    );
  });

  it("a killed worker's share is lost for two slots at most", async () => {
    const limit = checkRateLimit({ perSecond: 50 });
    const world = new RateWorld({ random: seededRandom(5) });
    const work = { limit, concurrency: 64, callMs: () => 200 };
    world.addWorker({ ...work, killedMs: 10_000 });
    world.addWorker(work);
    await world.run(30_000);
    const after = world.begun.filter((at) => at - world.beganMs >= 12_000).length;
    expect(after).toBeGreaterThanOrEqual(0.99 * 50 * 18);
  });

  it("a worker in long calls takes nothing from a busy one", async () => {
    const limit = checkRateLimit({ perSecond: 50 });
    const world = new RateWorld({ random: seededRandom(6) });
    world.addWorker({ limit, concurrency: 64, callMs: () => 60_000 });
    world.addWorker({ limit, concurrency: 64, callMs: () => 200 });
    await world.run(30_000);
    const busy = world.begunBy[1]!.filter((at) => at - world.beganMs >= 10_000).length;
    expect(busy).toBeGreaterThanOrEqual(0.95 * 50 * 20);
  });

  it("workers that need little keep what they need beside one that wants all", async () => {
    const limit = checkRateLimit({ perSecond: 50 });
    const world = new RateWorld({ random: seededRandom(7) });
    world.addWorker({ limit, concurrency: 2, callMs: () => 200 });
    world.addWorker({ limit, concurrency: 200, callMs: () => 200 });
    await world.run(30_000);
    expect(world.begunBy[0]!.length).toBeGreaterThanOrEqual(0.6 * 10 * 30);
    expect(world.begun.length).toBeGreaterThanOrEqual(0.95 * 50 * 30);
  });

  it("a limit that is not reached hardly slows calls down", async () => {
    const world = new RateWorld({ random: seededRandom(8) });
    for (let i = 0; i < 2; i++)
      world.addWorker({ limit: checkRateLimit({ perSecond: 100 }), concurrency: 4, callMs: () => 200 });
    await world.run(30_000);
    expect(world.begun.length).toBeGreaterThanOrEqual(0.95 * 40 * 30);
  });

  it("a resume keeps to what the killed run has begun", async () => {
    const limit = checkRateLimit({ perSecond: 10, burst: 20 });
    const world = new RateWorld({ random: seededRandom(9) });
    for (let start = 0; start < 5; start++) {
      const startMs = 600 * start;
      world.addWorker({ limit, concurrency: 64, callMs: () => 1, startMs, killedMs: startMs + 500 });
    }
    await world.run(4000);
    expect(world.begun.length).toBeGreaterThan(20);
    expect(largestBurst(world.begun, 10)).toBeLessThanOrEqual(20 + rounding);
  });

  it("an idle worker uses no files, and a busy one few", async () => {
    const limit = checkRateLimit({ perSecond: 50 });
    const world = new RateWorld({ random: seededRandom(10) });
    world.addWorker({ limit, concurrency: 3, callMs: () => 1e9 });
    await world.run(20_000);
    const idle = world.fileCalls;
    await world.run(100_000);
    expect(world.fileCalls).toBe(idle);
    world.addWorker({ limit, concurrency: 64, callMs: () => 200, startMs: 120_000 });
    await world.run(100_000);
    expect((world.fileCalls - idle) / 100).toBeLessThan(5);
    // Old shares are removed on the way.
    expect(world.names.size).toBeLessThan(30);
  });

  it("works with a clock of whole seconds, once it has seen it change", async () => {
    const limit = checkRateLimit({ perSecond: 50, burst: 10 });
    const world = new RateWorld({ random: seededRandom(11), tickMs: 1000 });
    for (let i = 0; i < 2; i++) world.addWorker({ limit, concurrency: 64, callMs: () => 200, skewMs: i * 1e6 });
    await world.run(30_000);
    expect(largestBurst(world.begun, 50)).toBeLessThanOrEqual(10 + rounding);
    expect(world.begun.length).toBeGreaterThanOrEqual(0.9 * 50 * 28);
  });

  it("a refusal slows all workers down, and the rate recovers", async () => {
    const limit = checkRateLimit({ perSecond: 50, adaptive: true });
    const world = new RateWorld({ random: seededRandom(12) });
    const workers = [0, 1].map(() => world.addWorker({ limit, concurrency: 64, callMs: () => 200 }));
    await world.run(10_000);
    for (let refusal = 0; refusal < 60; refusal++) workers[0]!.slowDown(new RetryAfterError("", { status: 429 }));
    workers[1]!.slowDown(Object.assign(new Error("busy"), { status: 503 }));
    await world.run(60_000);
    const during = (from: number, to: number) =>
      world.begun.filter((at) => at - world.beganMs >= from && at - world.beganMs < to).length / ((to - from) / 1000);
    expect(during(8000, 10_000)).toBeGreaterThan(47);
    // 70 % once for all of these refusals, and 2 % more every second.
    expect(during(12_500, 14_500)).toBeGreaterThan(0.7 * 50);
    expect(during(12_500, 14_500)).toBeLessThan(0.82 * 50);
    expect(during(40_000, 60_000)).toBeGreaterThan(47);
    // Other errors, and limits that are not adaptive, change nothing.
    const before = world.fileCalls;
    workers[0]!.slowDown(new Error("bad request"));
    expect(world.fileCalls).toBe(before);
  });
});

describe("a worker's calls", () => {
  it("are served in the order in which they asked, without those that were aborted", async () => {
    const limit = checkRateLimit({ perSecond: 20, burst: 4 });
    const world = new RateWorld({ random: seededRandom(1) });
    const limiter = world.limiter({ limit }, "only");
    const served: (number | string)[] = [];
    const controllers = Array.from({ length: 64 }, () => new AbortController());
    for (const [call, { signal }] of controllers.entries())
      limiter.take(signal)?.then(
        () => served.push(call),
        (reason) => served.push(String(reason)),
      );
    expect(limiter.waiting).toBe(64);
    await world.run(1000);
    controllers[40]!.abort("stop");
    controllers[0]!.abort("too late");
    await world.run(10_000);
    const numbers = served.filter((entry) => typeof entry === "number");
    expect(numbers).toEqual(Array.from({ length: 64 }, (_, call) => call).filter((call) => call !== 40));
    expect(served.filter((entry) => typeof entry !== "number")).toEqual(["stop"]);
    expect(limiter).toMatchObject({ waiting: 0, waitingSince: undefined });
    expect(limiter.waitedMs).toBeGreaterThan(60_000);
    expect(limiter.waitedMs).toBeLessThan(64 * 4000);
    await expect(limiter.take(AbortSignal.abort("at once"))).rejects.toBe("at once");
  });

  it("begin at once while there are tokens", async () => {
    const world = new RateWorld({ random: seededRandom(2) });
    const limiter = world.limiter({ limit: checkRateLimit({ perSecond: 100, burst: 50 }) }, "only");
    for (let call = 0; call < 30; call++) void limiter.take();
    await world.run(1500);
    expect(limiter.take()).toBeUndefined();
  });

  it("are rejected when the worker ends", async () => {
    const world = new RateWorld({ random: seededRandom(3) });
    const limiter = world.limiter({ limit: checkRateLimit({ perSecond: 1 }) }, "only");
    const waiting = limiter.take();
    limiter.close();
    await expect(waiting).rejects.toThrow("The worker ends");
    await expect(limiter.take()).rejects.toThrow("The worker ends");
    await world.run(5000);
    expect(world.fileCalls).toBe(0);
  });

  it("are rejected with the file system's error", async () => {
    const world = new RateWorld({ random: seededRandom(4) });
    const full = Object.assign(new Error("full"), { code: "ENOSPC", syscall: "open" });
    const limiter = world.limiter({ limit: checkRateLimit({ perSecond: 1 }) }, "only", {
      create: () => {
        throw full;
      },
    });
    const waiting = expect(limiter.take()).rejects.toMatchObject({ code: "STORE_FULL" });
    await world.run(5000);
    await waiting;
  });

  it.each(["", "{", "null", '{"to":-1}', '{"to":1,"workers":1,"spacingMs":1e-9,"lateMs":1,"factor":1}', "[1e999]"])(
    "wait for the next slot where a share is damaged: %j",
    async (text) => {
      const world = new RateWorld({ random: seededRandom(5) });
      const slot = Math.floor(world.nowMs / 1000);
      for (const ahead of [-1, 0, 1]) world.names.set(`${slot + ahead}.0`, text);
      world.names.set(`${slot}.slow`, text);
      world.names.set("not a share", "");
      const limiter = world.limiter({ limit: checkRateLimit({ perSecond: 10, adaptive: true }) }, "only");
      let isServed = false;
      void limiter.take()?.then(() => {
        isServed = true;
      });
      await world.run(1200);
      expect(isServed).toBe(false);
      await world.run(2000);
      expect(isServed).toBe(true);
    },
  );
});
