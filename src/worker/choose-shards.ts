import { crc32 } from "../shared/crc32.ts";
import type { UnitAttempts } from "../store/attempts.ts";
import type { Unit } from "../store/run-paths.ts";

/** In which order a worker tries shards: those that nobody holds, then some of those that somebody does. */
export interface ShardChoice {
  readonly free: readonly number[];
  /** Their holders may have died; each look costs, and others look too. */
  readonly held: readonly number[];
}

export interface Chooser {
  readonly worker: string;
  /** Differs from one pass to the next. */
  readonly pass: number;
  /** Whether workers are to begin at different places. */
  readonly isSpread: boolean;
}

const mostHeldLookedAt = 64;

/**
 * In order, so that heavy neighbours are shared out evenly. Where there are many workers, or shards are quick, each
 * begins somewhere else: they would follow each other from shard to shard otherwise, and find each taken.
 */
export function chooseShards(
  open: readonly number[],
  attempts: ReadonlyMap<Unit, UnitAttempts>,
  { worker, pass, isSpread }: Chooser,
): ShardChoice {
  const isHeld = (id: number) => attempts.get(id)?.active !== undefined;
  const free = open.filter((id) => !isHeld(id));
  const held = open.filter(isHeld);
  const place = crc32(Buffer.from(`${worker}.${pass}`));
  return {
    free: isSpread ? from(free, place) : free,
    held: held.length <= mostHeldLookedAt ? held : from(held, place).slice(0, mostHeldLookedAt),
  };
}

function from(ids: readonly number[], place: number): readonly number[] {
  if (ids.length === 0) return ids;
  const start = place % ids.length;
  return [...ids.slice(start), ...ids.slice(0, start)];
}
