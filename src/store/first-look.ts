import { rmSync } from "node:fs";
import { readIfPresent, replaceFileQuickly } from "./durable-files.ts";
import type { RunPaths } from "./run-paths.ts";

/**
 * What a driver found when it looked at every shard before it started workers. Those need not look again: a shard that
 * is there, and is not among the suspects, is done. Were each of a thousand workers to read what the others have
 * committed, the file system would have nothing else to do.
 */
export interface FirstLook {
  /** Shards that are there and have to be done again: damaged, or refused by the runner's own check. */
  readonly suspects: readonly number[];
  /** Items that have failed so far. */
  readonly failed: number;
}

const nothingFound: FirstLook = { suspects: [], failed: 0 };

/** Leaves the finding for the workers; no file says that there was nothing. */
export function writeFirstLook(paths: RunPaths, look: FirstLook): void {
  if (look.suspects.length === 0 && look.failed === 0) rmSync(paths.firstLook, { force: true });
  else replaceFileQuickly(paths.firstLook, `${JSON.stringify(look)}\n`);
}

export function readFirstLook(paths: RunPaths): FirstLook {
  const text = readIfPresent(paths.firstLook);
  return text === undefined ? nothingFound : (JSON.parse(text) as FirstLook);
}
