import type { ShardCounts } from "../../run-folder/shard/done.ts";
import type { ShardLetter } from "../run-view.ts";

/** The state of every shard of a run, updated incrementally. */
export interface ShardMap {
  /** An attempt was committed. Late reports of earlier attempts are ignored. */
  commit(shard: number, attempt: number, counts: ShardCounts): void;
  damage(shard: number): void;
  /** The shard no longer exists. */
  markMissing(shard: number): void;
  /** An attempt has ended without a commit. */
  fence(shard: number): void;
  /** Exactly these shards are in progress. */
  hold(shards: ReadonlySet<number>): void;
  isCommitted(shard: number): boolean;
  letter(shard: number): ShardLetter;
  /** One letter per shard. */
  text(): string;
  /** The changes since the last call. */
  takeChanges(): [shard: number, letter: ShardLetter][];
  readonly sums: Readonly<ShardSums>;
  /** Shards with failed items and their number, in order. */
  failures(): [shard: number, failed: number][];
  committedShards(): Iterable<number>;
  damagedShards(): Iterable<number>;
}

interface ShardSums {
  committed: number;
  damaged: number;
  done: number;
  written: number;
  dropped: number;
  failed: number;
}

const kinds = ["items", "written", "dropped", "failed"] as const;

// Maximum number of letters.
const maxLetters = 1 << 22;

/** The data of some neighbouring shards. */
interface Page {
  readonly letters: Buffer;
  readonly attempts: Float64Array;
  readonly columns: Readonly<Record<(typeof kinds)[number], Float64Array>>;
}

const pageShards = 64;

/**
 * Columns of numbers instead of an object per shard: a run may have a million shards. Pages are created when something
 * is known about a shard, so the number in a manifest takes no memory.
 */
export function openShardMap(shardCount: number): ShardMap {
  const pages = new Map<number, Page>();
  const damaged = new Set<number>();
  const fenced = new Set<number>();
  const changed = new Set<number>();
  let held: ReadonlySet<number> = new Set();
  const sums: ShardSums = { committed: 0, damaged: 0, done: 0, written: 0, dropped: 0, failed: 0 };

  return {
    commit(shard, attempt, counts) {
      if (!isInPlan(shard) || attemptOf(shard) > attempt) return;
      forget(shard);
      const { attempts, columns } = makePage(shard);
      attempts[shard % pageShards] = Math.max(1, attempt);
      for (const kind of kinds) columns[kind][shard % pageShards] = counts[kind];
      add(shard, 1);
      draw(shard);
    },
    damage(shard) {
      if (!isInPlan(shard)) return;
      forget(shard);
      damaged.add(shard);
      sums.damaged++;
      draw(shard);
    },
    markMissing(shard) {
      forget(shard);
      draw(shard);
    },
    fence(shard) {
      if (!isInPlan(shard) || isCommitted(shard)) return;
      fenced.add(shard);
      draw(shard);
    },
    hold(shards) {
      const before = held;
      held = shards;
      for (const shard of before) if (!held.has(shard)) draw(shard);
      for (const shard of held) draw(shard);
    },
    isCommitted,
    letter: letterOf,
    text() {
      const letters = Buffer.alloc(Math.min(shardCount, maxLetters), ".");
      for (const [page, content] of pages) content.letters.copy(letters, page * pageShards);
      return letters.toString("latin1");
    },
    takeChanges() {
      const changes = [...changed].map((shard): [number, ShardLetter] => [shard, letterOf(shard)]);
      changed.clear();
      return changes;
    },
    sums,
    failures: () =>
      [...committedShards()].flatMap((shard): [number, number][] => {
        const failed = countOf(shard, "failed");
        return failed > 0 ? [[shard, failed]] : [];
      }),
    committedShards,
    damagedShards: () => damaged,
  };

  function isInPlan(shard: number): boolean {
    return Number.isInteger(shard) && shard >= 0 && shard < shardCount;
  }

  function pageOf(shard: number): Page | undefined {
    return pages.get(Math.floor(shard / pageShards));
  }

  function makePage(shard: number): Page {
    const known = pageOf(shard);
    if (known !== undefined) return known;
    const column = () => new Float64Array(pageShards);
    const first = Math.floor(shard / pageShards);
    const page: Page = {
      letters: Buffer.alloc(Math.min(pageShards, shardCount - first * pageShards), "."),
      attempts: column(),
      columns: { items: column(), written: column(), dropped: column(), failed: column() },
    };
    pages.set(first, page);
    return page;
  }

  function attemptOf(shard: number): number {
    return pageOf(shard)?.attempts[shard % pageShards] ?? 0;
  }

  function countOf(shard: number, kind: (typeof kinds)[number]): number {
    return pageOf(shard)?.columns[kind][shard % pageShards] ?? 0;
  }

  // Attempts are numbered from 1, whatever a damaged history says.
  function isCommitted(shard: number): boolean {
    return attemptOf(shard) > 0;
  }

  function* committedShards(): Generator<number> {
    for (const page of [...pages.keys()].sort((a, b) => a - b))
      for (let shard = page * pageShards; shard < Math.min((page + 1) * pageShards, shardCount); shard++)
        if (isCommitted(shard)) yield shard;
  }

  function forget(shard: number): void {
    if (isCommitted(shard)) {
      add(shard, -1);
      makePage(shard).attempts[shard % pageShards] = 0;
    }
    if (damaged.delete(shard)) sums.damaged--;
    fenced.delete(shard);
  }

  function add(shard: number, sign: 1 | -1): void {
    sums.committed += sign;
    sums.done += sign * countOf(shard, "items");
    sums.written += sign * countOf(shard, "written");
    sums.dropped += sign * countOf(shard, "dropped");
    sums.failed += sign * countOf(shard, "failed");
  }

  function draw(shard: number): void {
    if (!isInPlan(shard)) return;
    const code = letterOf(shard).charCodeAt(0);
    const { letters } = makePage(shard);
    if (letters[shard % pageShards] === code) return;
    letters[shard % pageShards] = code;
    changed.add(shard);
  }

  function letterOf(shard: number): ShardLetter {
    // Failed items of a committed shard may be retried; it stays committed meanwhile.
    if (isCommitted(shard)) return countOf(shard, "failed") > 0 ? "f" : "c";
    if (held.has(shard)) return "r";
    if (damaged.has(shard)) return "d";
    return fenced.has(shard) ? "w" : ".";
  }
}
