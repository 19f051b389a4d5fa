/** Returns shards to try, each once. */
export interface ShardPicker {
  next(): number | undefined;
  /** The last one was claimed by another worker. */
  miss(): void;
}

export interface PickOptions {
  /** Whether workers begin at different shards. */
  readonly isSpread: boolean;
  /** A number from 0 up to 1. */
  readonly random: () => number;
}

/**
 * In order, so that neighbouring heavy shards go to different workers. With many workers, or quick shards, each worker
 * begins at a random shard and jumps to another after a lost claim: otherwise the workers would all try the same shards
 * one after the other.
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
