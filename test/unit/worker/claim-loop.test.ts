import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Claimable } from "../../../src/run-folder/files/run-paths.ts";
import type { KnownAttempts } from "../../../src/run-folder/lease/attempts.ts";
import { type ClaimPort, claimLoop } from "../../../src/worker/claim-loop.ts";

/** A run folder in memory, with a clock that only waiting moves. */
class World {
  nowMs = 0;
  looks = 0;
  readonly committed = new Set<number>();
  /** Who holds a shard, and until when at the latest. */
  readonly held = new Map<number, { readonly untilMs: number; readonly commits: boolean }>();
  readonly ran: number[] = [];
  readonly count: number;

  constructor(count: number) {
    this.count = count;
  }

  open(): number[] {
    return Array.from({ length: this.count }, (_, id) => id).filter((id) => !this.committed.has(id));
  }

  port(more: Partial<ClaimPort<number>> = {}): ClaimPort<number> {
    return {
      isSpread: false,
      random: () => 0,
      listOpen: async () => {
        this.looks++;
        this.settle();
        return this.open();
      },
      attempts: () => this.attempts(),
      isCommitted: (id) => {
        this.settle();
        return this.committed.has(id);
      },
      claim: async (id) => {
        this.settle();
        return this.committed.has(id) || this.held.has(id) ? undefined : id;
      },
      run: async (id) => {
        this.ran.push(id);
        this.committed.add(id);
      },
      mustLeave: () => false,
      wait: async (ms) => {
        this.nowMs += ms;
      },
      ...more,
    };
  }

  /** Holders commit or die when their time has come. */
  private settle(): void {
    for (const [id, { untilMs, commits }] of this.held) {
      if (this.nowMs < untilMs) continue;
      this.held.delete(id);
      if (commits) this.committed.add(id);
    }
  }

  private attempts(): Map<Claimable, KnownAttempts> {
    return new Map([...this.held.keys()].map((id) => [id, { active: 1, fenced: [] } as unknown as KnownAttempts]));
  }
}

describe("a worker", () => {
  it("runs every open shard, in order, and is complete", async () => {
    const world = new World(5);
    world.committed.add(2);
    expect(await claimLoop(world.open(), world.port())).toBe("complete");
    expect(world.ran).toEqual([0, 1, 3, 4]);
  });

  it("has nothing to do where nothing is open", async () => {
    const world = new World(0);
    expect(await claimLoop([], world.port())).toBe("complete");
    expect(world.looks).toBe(0);
  });

  it("leaves when it is time to, between two shards", async () => {
    const world = new World(5);
    expect(await claimLoop(world.open(), world.port({ mustLeave: () => world.ran.length === 2 }))).toBe("left");
    expect(world.ran).toEqual([0, 1]);
  });

  it("waits for shards that others hold, and takes over what they do not finish", async () => {
    const world = new World(3);
    world.held.set(0, { untilMs: 5000, commits: true });
    world.held.set(1, { untilMs: 8000, commits: false });
    expect(await claimLoop(world.open(), world.port())).toBe("complete");
    expect(world.ran).toEqual([2, 1]);
    expect(world.nowMs).toBeGreaterThanOrEqual(8000);
    expect(world.nowMs).toBeLessThan(10_000);
  });

  it("leaves while it waits", async () => {
    const world = new World(1);
    world.held.set(0, { untilMs: Number.POSITIVE_INFINITY, commits: false });
    expect(await claimLoop(world.open(), world.port({ mustLeave: () => world.nowMs > 100 }))).toBe("left");
  });

  it("leaves a shard that it could not finish to others, and tries it again itself", async () => {
    const world = new World(2);
    let tries = 0;
    const port = world.port();
    const run = async (id: number, seen: KnownAttempts) => {
      if (id === 0 && ++tries < 3) return;
      await port.run(id, seen);
    };
    expect(await claimLoop(world.open(), { ...port, run })).toBe("complete");
    expect(tries).toBe(3);
    expect(world.ran).toEqual([1, 0]);
  });

  it("looks again when others were quicker too often", async () => {
    const world = new World(100);
    const open = world.open();
    for (let id = 0; id < 99; id++) world.committed.add(id);
    let claims = 0;
    const port = world.port({ isSpread: true });
    const claim = async (id: number, seen: KnownAttempts) => {
      claims++;
      return port.claim(id, seen);
    };
    expect(await claimLoop(open, { ...port, claim })).toBe("complete");
    expect(world.ran).toEqual([99]);
    // What is committed is asked for, not claimed, once the first was missed.
    expect(claims).toBe(2);
  });

  it("looks at a few of many holders only", async () => {
    const world = new World(10_000);
    for (let id = 0; id < 10_000; id++) world.held.set(id, { untilMs: 600_000, commits: true });
    let asked = 0;
    const port = world.port({ isSpread: true, random: () => 0.5 });
    const isCommitted = (id: number) => {
      asked++;
      return port.isCommitted(id);
    };
    expect(await claimLoop(world.open(), { ...port, isCommitted })).toBe("complete");
    expect(asked).toBeLessThan(200);
  });

  it("completes a run together with others, whichever of them dies at any time", async () => {
    const holder = fc.record({ id: fc.nat(29), untilMs: fc.nat(100_000), commits: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(holder), fc.boolean(), fc.integer({ min: 1 }), async (holders, isSpread, seed) => {
        const world = new World(30);
        for (const { id, ...how } of holders) world.held.set(id, how);
        let state = seed;
        const random = () => {
          state = (state * 48_271) % 2_147_483_647;
          return state / 2_147_483_647;
        };
        expect(await claimLoop(world.open(), world.port({ isSpread, random }))).toBe("complete");
        expect(world.committed.size).toBe(30);
        expect(new Set(world.ran).size).toBe(world.ran.length);
      }),
      { numRuns: 60 },
    );
  });
});
