import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Done } from "../store/done.ts";
import { isMergeCurrent, mergeKey, readMerged, writeMerged } from "../store/merged.ts";
import { readRecords } from "../store/read-records.ts";
import { runPaths } from "../store/run-paths.ts";
import { failuresName, recordsName, stateName } from "../store/shard-file-names.ts";
import { type CommittedShard, concatenate, openShards } from "./concatenate-shard-files.ts";
import { lazyArray } from "./lazy-array.ts";
import { mergeLists } from "./merge-scp.ts";

/** The records of committed shards, in item order; they are read when the array is first looked at. */
export function recordsOfShards<Record>(
  shardDirs: readonly string[],
  known: ReadonlyMap<number, Done> = new Map(),
): Record[] {
  const parts = openShards(shardDirs, known).flatMap(({ dir, done }) =>
    done.files
      .filter(({ name }) => name === recordsName)
      .map(({ lines = 0 }) => ({ path: join(dir, recordsName), lines })),
  );
  const length = parts.reduce((sum, { lines }) => sum + lines, 0);
  return lazyArray(length, function* () {
    for (const { path } of parts) yield* readRecords<Record>(path);
  });
}

/** Puts every file that a line writer wrote together in the run folder, in item order; what is merged already stays. */
export function mergeLineFiles(
  runDir: string,
  shardDirs: readonly string[],
  known: ReadonlyMap<number, Done> = new Map(),
): void {
  const paths = runPaths(runDir);
  const shards = openShards(shardDirs, known);
  const key = mergeKey(shards.map(({ done }) => done));
  const before = readMerged(paths);
  const names = lineFiles(shards);
  if (before !== undefined && before.files.length === names.length && isMergeCurrent(paths, before, key)) return;
  const files = names.map((name) =>
    isPathList(shards, name)
      ? mergeLists(shards, name, { target: paths.output(name) })
      : concatenate(shards, name, paths.output(name)),
  );
  for (const { name } of before?.files ?? []) if (!names.includes(name)) rmSync(paths.output(name), { force: true });
  writeMerged(paths, { version: 1, key, files });
}

const listSuffix = ".scp";
// Compressed files behind each other are one compressed file.
const compressedLines = /\.jsonl\.(?:gz|zst|zstd)$/;

/** A list whose paths count from its own folder; one that someone wrote as plain lines stays as it is. */
function isPathList(shards: readonly CommittedShard[], name: string): boolean {
  const file = shards.flatMap(({ done }) => done.files).find((entry) => entry.name === name);
  return name.endsWith(listSuffix) && file?.lines === undefined;
}

function lineFiles(shards: readonly CommittedShard[]): string[] {
  const names = new Set<string>();
  let isOtherOutput = false;
  for (const { name, lines } of shards.flatMap(({ done }) => done.files)) {
    if (lines !== undefined || name.endsWith(listSuffix) || compressedLines.test(name)) names.add(name);
    else isOtherOutput ||= name !== stateName;
  }
  // Where every item was dropped or failed there is still a result: no records.
  const isEmpty = !isOtherOutput && [...names].every((name) => name === failuresName);
  if (isEmpty) names.add(recordsName);
  return [...names].sort();
}
