import { existsSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { mergeScp, safeFileName } from "../../formats.ts";
import { concatenateShardFiles, MillraceError, readLines, readShardState } from "../../index.ts";
import { frameTotals } from "../../speech.ts";
import { putFile } from "../put-file.ts";
import { addStats } from "./add-stats.ts";
import type { SummedKey } from "./collect-stats-batch.ts";
import { measureLengths } from "./measure-lengths.ts";
import { type KeyReport, writeReport } from "./report/write-report.ts";
import { featsName, keyLists, shapeName } from "./stats-files.ts";
import { encodeStats } from "./stats-npz.ts";

/** Totals by key, over all frames, as flat arrays of a frame's numbers. */
export interface CollectedStats {
  readonly sum: Readonly<Record<string, Float64Array>>;
  readonly sq: Readonly<Record<string, Float64Array>>;
  readonly count: Readonly<Record<string, number>>;
}

export const scpPathsChoices = ["recipe", "list", "absolute"] as const;
/** What the paths in `collect_feats/{key}.scp` are relative to. */
export type ScpPaths = (typeof scpPathsChoices)[number];

export interface MergeStatsOptions {
  readonly runDir: string;
  readonly mode: string;
  readonly writeCollectedFeats: boolean;
  readonly scpPaths: ScpPaths;
}

/** Merges the shards of one split: sums, shape files, lists of features, and the report. */
export function mergeStats(
  shardDirs: readonly string[],
  { runDir, mode, writeCollectedFeats, scpPaths }: MergeStatsOptions,
): CollectedStats {
  const stats = sumShards(shardDirs);
  const shapeKeys = keysOf(shardDirs, keyLists.shapes);
  const featKeys = keysOf(shardDirs, keyLists.feats);
  for (const key of shapeKeys) concatenateShardFiles(shardDirs, shapeName(key), join(runDir, shapeName(key)));
  if (writeCollectedFeats) {
    requireFeats(featKeys, stats);
    for (const key of featKeys) {
      mergeScp(shardDirs, featsName(key), {
        target: join(runDir, `${featsName(key)}.scp`),
        ...startOf(scpPaths, runDir),
      });
    }
  }
  const keys = Object.keys(stats).sort();
  for (const key of keys) putFile(join(runDir, `${safeFileName(key)}_stats.npz`), encodeStats(stats[key]!));
  putFile(join(runDir, "stats_keys"), keys.map((key) => `${key}\n`).join(""));
  writeReport(runDir, mode, reportOf(runDir, shapeKeys, stats));
  return totalsOf(stats);
}

/** Where the paths of a list begin. ESPnet takes them from the folder it is started in, which is that of the recipe. */
function startOf(scpPaths: ScpPaths, runDir: string): { absolute?: boolean; relativeTo?: string } {
  if (scpPaths === "list") return {};
  const recipe = process.cwd();
  const below = relative(recipe, runDir);
  // Outside of the recipe a relative path would depend on where both of them are.
  const isOutside = isAbsolute(below) || /^\.\.(?:[/\\]|$)/.test(below);
  return scpPaths === "absolute" || isOutside ? { absolute: true } : { relativeTo: recipe };
}

/** One shard's sums are in memory at a time. */
function sumShards(shardDirs: readonly string[]): Record<string, SummedKey> {
  const total: Record<string, SummedKey> = {};
  for (const dir of shardDirs) {
    addStats(total, readShardState<{ stats?: Record<string, SummedKey> }>(dir).stats ?? {}, dir);
  }
  return total;
}

function keysOf(shardDirs: readonly string[], list: string): string[] {
  const paths = shardDirs.map((dir) => join(dir, list)).filter((path) => existsSync(path));
  return [...new Set(paths.flatMap((path) => [...readLines(path)]))].sort();
}

function requireFeats(written: readonly string[], stats: Readonly<Record<string, SummedKey>>): void {
  if (written.length > 0 || Object.keys(stats).length === 0) return;
  throw new MillraceError("MERGE_FAILED", "writeCollectedFeats is set, but the workers kept no features.", {
    hint: "The env must have the key writeCollectedFeats: hand the provider's params on in buildEnvLocal, and start over with resume: false.",
  });
}

function reportOf(
  runDir: string,
  shapeKeys: readonly string[],
  stats: Readonly<Record<string, SummedKey>>,
): KeyReport[] {
  const keys = [...new Set([...Object.keys(stats), ...shapeKeys])].sort();
  return keys.map((key) => ({
    key,
    lengths: shapeKeys.includes(key) ? measureLengths(join(runDir, shapeName(key))) : undefined,
    totals: stats[key] === undefined ? undefined : frameTotals(stats[key].sums),
  }));
}

function totalsOf(stats: Readonly<Record<string, SummedKey>>): CollectedStats {
  const totals = Object.entries(stats).map(([key, { sums }]) => [key, frameTotals(sums)] as const);
  return {
    sum: Object.fromEntries(totals.map(([key, { sum }]) => [key, sum])),
    sq: Object.fromEntries(totals.map(([key, { sumSquare }]) => [key, sumSquare])),
    count: Object.fromEntries(totals.map(([key, { count }]) => [key, count])),
  };
}
