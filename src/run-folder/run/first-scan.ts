import { MillraceError } from "../../errors/errors.ts";
import { readIfPresent } from "../files/durable-files.ts";
import { removeFileInRun, replaceInRun } from "../files/run-files.ts";
import type { RunPaths } from "../files/run-paths.ts";
import { isCount } from "../shard/done.ts";

/**
 * What a driver found when it inspected every shard before it started workers. Workers need not inspect them again: a
 * shard that exists and is not among the suspects is committed. A thousand workers that each read all shards would
 * overload the file system.
 */
export interface FirstScan {
  /** Shards that exist and must be computed again: damaged, or refused by the runner's `isShardDone`. */
  readonly suspects: readonly number[];
  /** Items that have failed so far. */
  readonly failed: number;
}

const nothingFound: FirstScan = { suspects: [], failed: 0 };

/** Writes the result for the workers. No file means that there was nothing to report. */
export function writeFirstScan(paths: RunPaths, scan: FirstScan): void {
  if (scan.suspects.length === 0 && scan.failed === 0) removeFileInRun(paths.root, paths.firstScan);
  else replaceInRun(paths.root, paths.firstScan, `${JSON.stringify(scan)}\n`);
}

export function readFirstScan(paths: RunPaths): FirstScan {
  const text = readIfPresent(paths.firstScan);
  if (text === undefined) return nothingFound;
  try {
    const scan = JSON.parse(text) as Partial<FirstScan>;
    if (Array.isArray(scan.suspects) && scan.suspects.every(isCount) && isCount(scan.failed)) return scan as FirstScan;
  } catch {
    // The error below is thrown.
  }
  throw new MillraceError("RUN_DAMAGED", `${paths.firstScan} is not what a driver writes.`, {
    hint: "Start the run again: its driver looks at the shards and writes the file again.",
  });
}
