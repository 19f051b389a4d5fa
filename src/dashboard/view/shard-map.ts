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

export function openShardMap(shardCount: number): ShardMap {
  const letters = Buffer.alloc(shardCount, ".");
  const committed = new Map<number, { readonly attempt: number; readonly counts: ShardCounts }>();
  const damaged = new Set<number>();
  const fenced = new Set<number>();
  const changed = new Set<number>();
  let held: ReadonlySet<number> = new Set();
  const sums: ShardSums = { committed: 0, damaged: 0, done: 0, written: 0, dropped: 0, failed: 0 };

  return {
    commit(shard, attempt, counts) {
      if (!isInPlan(shard) || (committed.get(shard)?.attempt ?? 0) > attempt) return;
      forget(shard);
      committed.set(shard, { attempt, counts });
      add(counts, 1);
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
      if (!isInPlan(shard) || committed.has(shard)) return;
      fenced.add(shard);
      draw(shard);
    },
    hold(shards) {
      const before = held;
      held = shards;
      for (const shard of before) if (!held.has(shard)) draw(shard);
      for (const shard of held) draw(shard);
    },
    isCommitted: (shard) => committed.has(shard),
    letter: letterOf,
    text: () => letters.toString("latin1"),
    takeChanges() {
      const changes = [...changed].map((shard): [number, ShardLetter] => [shard, letterOf(shard)]);
      changed.clear();
      return changes;
    },
    sums,
    failures: () =>
      [...committed]
        .flatMap(([shard, { counts }]): [number, number][] => (counts.failed > 0 ? [[shard, counts.failed]] : []))
        .sort(([a], [b]) => a - b),
    committedShards: () => committed.keys(),
    damagedShards: () => damaged,
  };

  function isInPlan(shard: number): boolean {
    return shard >= 0 && shard < shardCount;
  }

  function forget(shard: number): void {
    const known = committed.get(shard);
    if (known !== undefined) add(known.counts, -1);
    committed.delete(shard);
    if (damaged.delete(shard)) sums.damaged--;
    fenced.delete(shard);
  }

  function add({ items, written, dropped, failed }: ShardCounts, sign: 1 | -1): void {
    sums.committed += sign;
    sums.done += sign * items;
    sums.written += sign * written;
    sums.dropped += sign * dropped;
    sums.failed += sign * failed;
  }

  function draw(shard: number): void {
    if (!isInPlan(shard)) return;
    const code = letterOf(shard).charCodeAt(0);
    if (letters[shard] === code) return;
    letters[shard] = code;
    changed.add(shard);
  }

  function letterOf(shard: number): ShardLetter {
    const known = committed.get(shard);
    // Failed items of a committed shard may be in work once more; what is committed stays so meanwhile.
    if (known !== undefined) return known.counts.failed > 0 ? "f" : "c";
    if (held.has(shard)) return "r";
    if (damaged.has(shard)) return "d";
    return fenced.has(shard) ? "w" : ".";
  }
}
