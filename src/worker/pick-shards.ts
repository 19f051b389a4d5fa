/** Hands out shards to try, each once. */
export interface ShardPicker {
  next(): number | undefined;
  /** The last one was taken by someone else. */
  miss(): void;
}

export interface PickOptions {
  /** Whether workers are to begin at different places. */
  readonly isSpread: boolean;
  /** A number from 0 up to 1. */
  readonly random: () => number;
}

/**
 * In order, so that heavy neighbours are shared out evenly. Where there are many workers, or shards are quick, each begins
 * somewhere else and goes on somewhere else when it meets another: they would follow each other from shard to shard
 * otherwise, and find each taken.
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
