import { rmSync } from "node:fs";
import type { Done, ShardFile } from "../store/done.ts";
import { isMergeCurrent, mergeKey, readMerged, writeMerged } from "../store/merged.ts";
import { type RunPaths, runPaths } from "../store/run-paths.ts";
import { failuresName, recordsName, stateName } from "../store/shard-file-names.ts";
import { type CommittedShard, concatenate, openShards } from "./concatenate-shard-files.ts";
import { lazyArray } from "./lazy-array.ts";
import { readRecords } from "./read-records.ts";

/**
 * The standard merge: every file that a line writer wrote is put together in the run folder, in item order; what is
 * merged already stays. Answers the records, read from there when they are first looked at.
 */
export function mergeLines<Record>(
  runDir: string,
  shardDirs: readonly string[],
  known: ReadonlyMap<number, Done> = new Map(),
): Record[] {
  const paths = runPaths(runDir);
  const shards = openShards(shardDirs, known);
  const key = mergeKey(shards.map(({ done }) => done));
  const before = readMerged(paths);
  if (before !== undefined && isMergeCurrent(paths, before, key)) return recordsOf(paths, before.files);
  const names = lineFiles(shards);
  const files = names.map((name) => concatenate(shards, name, paths.output(name)));
  for (const { name } of before?.files ?? []) if (!names.includes(name)) rmSync(paths.output(name), { force: true });
  writeMerged(paths, { version: 1, key, files });
  return recordsOf(paths, files);
}

function recordsOf<Record>(paths: RunPaths, files: readonly ShardFile[]): Record[] {
  const records = files.find((file) => file.name === recordsName);
  if (records === undefined) return [];
  return lazyArray(records.lines ?? 0, () => readRecords<Record>(paths.output(recordsName)));
}

function lineFiles(shards: readonly CommittedShard[]): string[] {
  const names = new Set<string>();
  let isOtherOutput = false;
  for (const { name, lines } of shards.flatMap(({ done }) => done.files)) {
    if (lines !== undefined) names.add(name);
    else isOtherOutput ||= name !== stateName;
  }
  // Where every item was dropped or failed there is still a result: no records.
  const isEmpty = !isOtherOutput && [...names].every((name) => name === failuresName);
  if (isEmpty) names.add(recordsName);
  return [...names].sort();
}
