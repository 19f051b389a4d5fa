import { openRateLimiterOn, type RateLimiter } from "../../src/run-folder/rate/open-rate-limiter.ts";
import type { RateFiles } from "../../src/run-folder/rate/rate-files.ts";
import type { CheckedRateLimit } from "../../src/run-folder/rate/rate-limit.ts";

/** What a simulated worker is like. */
export interface SimulatedWorker {
  readonly limit: CheckedRateLimit;
  /** By how much its clock is wrong, and how much faster it is than that of the file system. */
  readonly skewMs?: number;
  readonly drift?: number;
  /** How many calls it keeps open, and how long one takes. */
  readonly concurrency: number;
  readonly callMs: () => number;
  readonly startMs?: number;
  /** When it is killed. */
  readonly killedMs?: number;
}

interface Settings {
  readonly random: () => number;
  /** The resolution of the file system's times. */
  readonly tickMs?: number;
  /** The longest that a call to the file system takes. */
  readonly fileMs?: number;
  /** By how much timers are late at most. */
  readonly lateMs?: number;
}

/** Hosts, workers and a file system in simulated time. Records when calls begin, by the true time. */
export class RateWorld {
  // As a file system says it: milliseconds since 1970.
  nowMs = 1_800_000_000_123.4;
  readonly beganMs = this.nowMs;
  readonly begun: number[] = [];
  readonly begunBy: number[][] = [];
  fileCalls = 0;
  readonly names = new Map<string, string>();
  private readonly settings: Required<Settings>;
  private readonly events: { readonly atMs: number; readonly order: number; act(): void }[] = [];
  private order = 0;

  constructor({ random, tickMs = 4, fileMs = 2, lateMs = 3 }: Settings) {
    this.settings = { random, tickMs, fileMs, lateMs };
  }

  at(atMs: number, act: () => void): () => void {
    const event = { atMs, order: this.order++, act };
    this.events.push(event);
    return () => {
      const index = this.events.indexOf(event);
      if (index >= 0) this.events.splice(index, 1);
    };
  }

  /** Files as one worker sees them: each call takes some time, and has its effect within it. */
  files(): RateFiles {
    const { random, tickMs, fileMs } = this.settings;
    const call = <Answer>(act: () => Answer): Answer => {
      this.fileCalls++;
      this.nowMs += random() * fileMs;
      const answer = act();
      this.nowMs += random() * fileMs;
      return answer;
    };
    const stamp = () => Math.floor(this.nowMs / tickMs) * tickMs;
    return {
      list: () => call(() => [...this.names.keys()]),
      read: (name) => call(() => this.names.get(name)),
      create: (name, text) =>
        call(() => {
          if (this.names.has(name)) return undefined;
          this.names.set(name, text);
          return stamp();
        }),
      remove: (name) => call(() => void this.names.delete(name)),
      clock: () => call(stamp),
    };
  }

  /** A limiter with a clock of its own. */
  limiter(
    { limit, skewMs = 0, drift = 0 }: Pick<SimulatedWorker, "limit" | "skewMs" | "drift">,
    name: string,
    files: Partial<RateFiles> = {},
  ): RateLimiter {
    const { random, lateMs } = this.settings;
    return openRateLimiterOn({
      limit,
      worker: name,
      files: { ...this.files(), ...files },
      random,
      now: () => skewMs + (this.nowMs - this.beganMs) * (1 + drift),
      setTimer: (act, ms) => this.at(this.nowMs + ms / (1 + drift) + random() * lateMs, act),
    });
  }

  /** A worker that begins as many calls as it may until it is killed. */
  addWorker(worker: SimulatedWorker): RateLimiter {
    const { startMs = 0, killedMs = Number.POSITIVE_INFINITY, concurrency, callMs } = worker;
    const limiter = this.limiter(worker, `worker-${this.begunBy.length}`);
    const begun: number[] = [];
    this.begunBy.push(begun);
    const isAlive = () => this.nowMs - this.beganMs < killedMs;
    const begin = () => {
      if (!isAlive()) return;
      this.begun.push(this.nowMs);
      begun.push(this.nowMs);
      this.at(this.nowMs + callMs(), ask);
    };
    const ask = () => {
      if (!isAlive()) return;
      const wait = limiter.take();
      if (wait === undefined) begin();
      // Rejected when the world ends.
      else wait.then(begin, () => {});
    };
    this.at(this.beganMs + startMs, () => {
      for (let open = 0; open < concurrency; open++) ask();
    });
    if (Number.isFinite(killedMs)) this.at(this.beganMs + killedMs, () => limiter.close());
    return limiter;
  }

  /** Lets this much time pass. */
  async run(ms: number): Promise<void> {
    const endMs = this.nowMs + ms;
    for (;;) {
      const next = this.events.reduce<(typeof this.events)[number] | undefined>(
        (first, event) =>
          first === undefined || event.atMs < first.atMs || (event.atMs === first.atMs && event.order < first.order)
            ? event
            : first,
        undefined,
      );
      if (next === undefined || next.atMs > endMs) break;
      this.events.splice(this.events.indexOf(next), 1);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.act();
      // Promises of calls that may begin.
      await Promise.resolve();
      await Promise.resolve();
    }
    this.nowMs = Math.max(this.nowMs, endMs);
  }
}

/** How many calls any stretch of time has beyond `perSecond` × its length. */
export function largestBurst(begun: readonly number[], perSecond: number): number {
  // For times in order: the largest of (j - i + 1) - perSecond × (t[j] - t[i]).
  let largest = 0;
  let lowest = Number.POSITIVE_INFINITY;
  for (const [index, atMs] of [...begun].sort((one, two) => one - two).entries()) {
    const level = index - (perSecond * atMs) / 1000;
    lowest = Math.min(lowest, level);
    largest = Math.max(largest, level - lowest + 1);
  }
  return largest;
}
