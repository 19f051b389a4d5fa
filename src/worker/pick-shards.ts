/** Chooses the order in which shards are tried. */
export interface ShardPicker {
  next(): number | undefined;
  /** Reports that the last shard was claimed by another worker. */
  miss(): void;
}

export interface PickOptions {
  /** Whether each worker begins at a random shard. */
  readonly isSpread: boolean;
  /** A number from 0 up to 1. */
  readonly random: () => number;
}

/**
 * Returns shards in order, so that neighbouring heavy shards are run by different workers. With many workers, or quick
 * shards, each worker begins at a random shard and jumps to another after a lost claim: otherwise all workers would try
 * the same shards one after the other.
 */
export function pickShards(
  ids: readonly number[],
  isHeld: (id: number) => boolean,
  { isSpread, random }: PickOptions,
): ShardPicker {
  const tried = new Set<number>();
  const somewhere = () => (isSpread ? Math.floor(random() * ids.length) : 0);
  let at = somewhere();
  return {
    next() {
      for (let steps = 0; steps < ids.length; steps++, at++) {
        if (at >= ids.length) at = 0;
        const id = ids[at]!;
        if (tried.has(id) || isHeld(id)) continue;
        tried.add(id);
        return id;
      }
      return undefined;
    },
    miss() {
      if (isSpread) at = somewhere();
    },
  };
}
