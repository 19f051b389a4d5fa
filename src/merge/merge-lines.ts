import { join } from "node:path";
import { removeFileInRun } from "../run-folder/files/run-files.ts";
import { runPaths } from "../run-folder/files/run-paths.ts";
import { isMergeCurrent, mergeKey, readMerged, writeMerged } from "../run-folder/run/merged.ts";
import type { KnownShard } from "../run-folder/shard/known-shard.ts";
import { readRecords } from "../run-folder/shard/read-records.ts";
import { failuresName, recordsName, stateName } from "../run-folder/shard/shard-file-names.ts";
import { type CommittedShard, concatenate, filesOf, openShards } from "./concatenate-shard-files.ts";
import { lazyArray } from "./lazy-array.ts";
import { mergeLists } from "./merge-scp.ts";

/** The records of committed shards, in item order. They are read on first access. */
export function recordsOfShards<Record>(
  shardDirs: readonly string[],
  known: ReadonlyMap<number, KnownShard> = new Map(),
): Record[] {
  const parts = filesOf(openShards(shardDirs, known), recordsName).map(({ dir, file: { lines = 0 } }) => ({
    path: join(dir, recordsName),
    lines,
  }));
  const length = parts.reduce((sum, { lines }) => sum + lines, 0);
  return lazyArray(length, function* () {
    for (const { path } of parts) yield* readRecords<Record>(path);
  });
}

/** Merges every file of a line writer into the run folder, in item order. Files that are already merged stay. */
export function mergeLineFiles(
  runDir: string,
  shardDirs: readonly string[],
  known: ReadonlyMap<number, KnownShard> = new Map(),
): void {
  const paths = runPaths(runDir);
  const shards = openShards(shardDirs, known);
  const key = mergeKey(shards.map((shard) => shard.known));
  const before = readMerged(paths);
  const found = lineFiles(shards);
  if (before !== undefined && before.files.length === found.size && isMergeCurrent(paths, before, key)) return;
  const files = [...found].map(([name, kind]) =>
    kind === "paths"
      ? mergeLists(shards, name, { target: paths.output(name), within: paths.root })
      : concatenate(shards, name, paths.output(name), { within: paths.root }),
  );
  for (const { name } of before?.files ?? []) if (!found.has(name)) removeFileInRun(paths.root, paths.output(name));
  writeMerged(paths, { version: 1, key, files });
}

const listSuffix = ".scp";
// Concatenated gzip or zstd files are one valid compressed file.
const compressedLines = /\.jsonl\.(?:gz|zst|zstd)$/;

/**
 * The line files, by name: those that are concatenated unchanged, and lists with paths relative to their folder. A list
 * that was written as plain lines is not changed.
 */
function lineFiles(shards: readonly CommittedShard[]): Map<string, "lines" | "paths"> {
  const found = new Map<string, "lines" | "paths">();
  let hasOtherOutput = false;
  for (const shard of shards)
    for (const { name, lines } of shard.files()) {
      const isList = name.endsWith(listSuffix);
      if (lines === undefined && !isList && !compressedLines.test(name)) hasOtherOutput ||= name !== stateName;
      else if (!found.has(name)) found.set(name, isList && lines === undefined ? "paths" : "lines");
    }
  // If every item was dropped or failed there is still a result: no records.
  const isEmpty = !hasOtherOutput && [...found.keys()].every((name) => name === failuresName);
  if (isEmpty) found.set(recordsName, "lines");
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}
