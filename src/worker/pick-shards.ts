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
export function pickShards(ids: readonly number[], { isSpread, random }: PickOptions): ShardPicker {
  const isTried = new Uint8Array(ids.length);
  const somewhere = () => (isSpread ? Math.floor(random() * ids.length) : 0);
  let at = somewhere();
  let left = ids.length;
  return {
    next() {
      if (left === 0) return undefined;
      while (isTried[at] === 1) at = (at + 1) % ids.length;
      isTried[at] = 1;
      left--;
      return ids[at];
    },
    miss() {
      if (isSpread) at = somewhere();
    },
  };
}
