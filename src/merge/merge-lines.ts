import { rmSync } from "node:fs";
import { join } from "node:path";
import type { KnownShard } from "../store/known-shard.ts";
import { isMergeCurrent, mergeKey, readMerged, writeMerged } from "../store/merged.ts";
import { readRecords } from "../store/read-records.ts";
import { runPaths } from "../store/run-paths.ts";
import { failuresName, recordsName, stateName } from "../store/shard-file-names.ts";
import { type CommittedShard, concatenate, filesOf, openShards } from "./concatenate-shard-files.ts";
import { lazyArray } from "./lazy-array.ts";
import { mergeLists } from "./merge-scp.ts";

/** The records of committed shards, in item order; they are read when the array is first looked at. */
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

/** Puts every file that a line writer wrote together in the run folder, in item order; what is merged already stays. */
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
      ? mergeLists(shards, name, { target: paths.output(name) })
      : concatenate(shards, name, paths.output(name)),
  );
  for (const { name } of before?.files ?? []) if (!found.has(name)) rmSync(paths.output(name), { force: true });
  writeMerged(paths, { version: 1, key, files });
}

const listSuffix = ".scp";
// Compressed files behind each other are one compressed file.
const compressedLines = /\.jsonl\.(?:gz|zst|zstd)$/;

/**
 * The files of lines, by their names: those that are put together as they are, and lists whose paths count from their own
 * folder. A list that someone wrote as plain lines stays as it is.
 */
function lineFiles(shards: readonly CommittedShard[]): Map<string, "lines" | "paths"> {
  const found = new Map<string, "lines" | "paths">();
  let isOtherOutput = false;
  for (const shard of shards)
    for (const { name, lines } of shard.files()) {
      const isList = name.endsWith(listSuffix);
      if (lines === undefined && !isList && !compressedLines.test(name)) isOtherOutput ||= name !== stateName;
      else if (!found.has(name)) found.set(name, isList && lines === undefined ? "paths" : "lines");
    }
  // Where every item was dropped or failed there is still a result: no records.
  const isEmpty = !isOtherOutput && [...found.keys()].every((name) => name === failuresName);
  if (isEmpty) found.set(recordsName, "lines");
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}
