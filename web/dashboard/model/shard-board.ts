import type { ShardLetter } from "../../../src/dashboard/run-view.ts";

/**
 * The state of every shard. It is changed in place and reports which shards changed, so that only those are redrawn.
 */
export interface ShardBoard {
  readonly size: number;
  letterOf(shard: number): ShardLetter;
  countOf(letter: ShardLetter): number;
  listen(listener: (changed: readonly number[]) => void): () => void;
  /** Replaces the whole map by one of the same size. */
  replace(map: string): void;
  change(changes: readonly (readonly [shard: number, letter: ShardLetter])[]): void;
}

/** Makes the board of a map with one letter a shard. */
export function makeShardBoard(map: string): ShardBoard {
  const letters = map.split("") as ShardLetter[];
  const counts = new Map<ShardLetter, number>();
  for (const letter of letters) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  const listeners = new Set<(changed: readonly number[]) => void>();

  const change: ShardBoard["change"] = (changes) => {
    const changed: number[] = [];
    for (const [shard, letter] of changes) {
      const before = letters[shard];
      if (before === undefined || before === letter) continue;
      letters[shard] = letter;
      counts.set(before, counts.get(before)! - 1);
      counts.set(letter, (counts.get(letter) ?? 0) + 1);
      changed.push(shard);
    }
    if (changed.length > 0) for (const listener of listeners) listener(changed);
  };

  return {
    size: letters.length,
    letterOf: (shard) => letters[shard] ?? ".",
    countOf: (letter) => counts.get(letter) ?? 0,
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    replace: (next) => change(next.split("").map((letter, shard) => [shard, letter as ShardLetter] as const)),
    change,
  };
}
