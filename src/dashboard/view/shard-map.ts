import type { ShardCounts } from "../../store/done.ts";
import type { ShardLetter } from "../run-view.ts";

/** What every shard of a run is at: kept up to date by what becomes known, never made anew. */
export interface ShardMap {
  /** An attempt at it was committed. What an earlier one held is told late now and then, and does not count. */
  commit(shard: number, attempt: number, counts: ShardCounts): void;
  damage(shard: number): void;
  /** It is not there any more. */
  vanish(shard: number): void;
  /** An attempt at it has ended without a commit. */
  fence(shard: number): void;
  /** These, and no others, are in work. */
  hold(shards: ReadonlySet<number>): void;
  isCommitted(shard: number): boolean;
  letter(shard: number): ShardLetter;
  /** One letter for each shard. */
  text(): string;
  /** What has changed since this was last asked for. */
  takeChanges(): [shard: number, letter: ShardLetter][];
  readonly sums: Readonly<ShardSums>;
  /** Shards with failed items and how many, in order. */
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

export function openShardMap(shardCount: number): ShardMap {
  const letters = Buffer.alloc(shardCount, ".");
  // Columns of numbers instead of an object for each shard: a run may have a million of them.
  const attempts = column();
  const columns = { items: column(), written: column(), dropped: column(), failed: column() };
  const damaged = new Set<number>();
  const fenced = new Set<number>();
  const changed = new Set<number>();
  let held: ReadonlySet<number> = new Set();
  const sums: ShardSums = { committed: 0, damaged: 0, done: 0, written: 0, dropped: 0, failed: 0 };

  return {
    commit(shard, attempt, counts) {
      if (!isInPlan(shard) || attempts[shard]! > attempt) return;
      forget(shard);
      attempts[shard] = Math.max(1, attempt);
      for (const kind of kinds) columns[kind][shard] = counts[kind];
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
    vanish(shard) {
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
    text: () => letters.toString("latin1"),
    takeChanges() {
      const changes = [...changed].map((shard): [number, ShardLetter] => [shard, letterOf(shard)]);
      changed.clear();
      return changes;
    },
    sums,
    failures: () =>
      [...committedShards()].flatMap((shard): [number, number][] => {
        const failed = columns.failed[shard]!;
        return failed > 0 ? [[shard, failed]] : [];
      }),
    committedShards,
    damagedShards: () => damaged,
  };

  function isInPlan(shard: number): boolean {
    return shard >= 0 && shard < shardCount;
  }

  function column(): Float64Array {
    return new Float64Array(shardCount);
  }

  // Attempts are counted from 1, whatever a damaged history may say.
  function isCommitted(shard: number): boolean {
    return (attempts[shard] ?? 0) > 0;
  }

  function* committedShards(): Generator<number> {
    for (let shard = 0; shard < shardCount; shard++) if (isCommitted(shard)) yield shard;
  }

  function forget(shard: number): void {
    if (isCommitted(shard)) {
      add(shard, -1);
      attempts[shard] = 0;
    }
    if (damaged.delete(shard)) sums.damaged--;
    fenced.delete(shard);
  }

  function add(shard: number, sign: 1 | -1): void {
    const { items, written, dropped, failed } = columns;
    sums.committed += sign;
    sums.done += sign * items[shard]!;
    sums.written += sign * written[shard]!;
    sums.dropped += sign * dropped[shard]!;
    sums.failed += sign * failed[shard]!;
  }

  function draw(shard: number): void {
    if (!isInPlan(shard)) return;
    const code = letterOf(shard).charCodeAt(0);
    if (letters[shard] === code) return;
    letters[shard] = code;
    changed.add(shard);
  }

  function letterOf(shard: number): ShardLetter {
    // Failed items of a committed shard may be in work once more; what is committed stays so meanwhile.
    if (isCommitted(shard)) return columns.failed[shard]! > 0 ? "f" : "c";
    if (held.has(shard)) return "r";
    if (damaged.has(shard)) return "d";
    return fenced.has(shard) ? "w" : ".";
  }
}
