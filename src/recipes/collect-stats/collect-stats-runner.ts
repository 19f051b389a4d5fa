import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ArrayRecord, npyScpWriter, safeFileName } from "../../formats.ts";
import {
  BaseRunner,
  type EnvironmentProvider,
  type KeyedWriter,
  keyedWriter,
  MillraceError,
  type RunnerOptions,
  type ShardState,
  textWriter,
  type Writers,
} from "../../index.ts";
import { addStats } from "./add-stats.ts";
import { type BatchStats, collectStatsBatch, type KeyStats } from "./collect-stats-batch.ts";
import type { CollectStatsEnv } from "./collect-stats-env.ts";
import { type CollectedStats, mergeStats } from "./merge-stats.ts";
import { featsName, keyLists, shapeName } from "./stats-files.ts";
import { encodeStats } from "./stats-npz.ts";

/** The options of a runner, and what is special to statistics. */
export interface CollectStatsRunnerOptions extends RunnerOptions {
  /** The split, `train` for instance: the folder below `outputDir`. */
  readonly mode?: string | undefined;
  /** Keeps the features as npy files and lists. Default: as the provider's params say, otherwise false. */
  readonly writeCollectedFeats?: boolean | undefined;
  /** Further arguments for the model's `collectFeats`. Default: as the provider's params say. */
  readonly collectStatsKwargs?: Readonly<Record<string, unknown>> | undefined;
}

/** What `forward` gives for a batch: sums over its utterances, which cannot be told apart any more. */
export interface CollectedBatch {
  readonly batch: BatchStats;
}

interface StatsWriters extends Writers {
  readonly shapes: KeyedWriter<string>;
  readonly feats: KeyedWriter<ArrayRecord>;
}

interface StatsState extends ShardState {
  readonly stats: Record<string, KeyStats>;
}

/**
 * Sums, sums of squares and shapes of a model's features over a dataset, as ESPnet3's runner of this name. The sums are exact
 * until they are rounded once at the end, so any number of shards, workers and batches, and any kill, gives the same bits.
 *
 * What the runner needs is in its env ({@link CollectStatsEnv}). `writeCollectedFeats` and `collectStatsKwargs` are put into
 * the provider's params, because that is what workers get: an `InferenceProvider` hands them on by itself.
 */
export class CollectStatsRunner extends BaseRunner<CollectStatsEnv, CollectedBatch, CollectedStats> {
  static readonly module: string = import.meta.url;
  readonly mode: string;
  readonly writeCollectedFeats: boolean;

  constructor(provider: EnvironmentProvider<CollectStatsEnv>, options: CollectStatsRunnerOptions) {
    const { mode, writeCollectedFeats, collectStatsKwargs, ...own } = options;
    super(provider, { ...own, shardSubdir: own.shardSubdir ?? requireMode(mode) });
    this.mode = mode ?? own.shardSubdir ?? "";
    const given = { writeCollectedFeats, collectStatsKwargs };
    const asked = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const params: Record<string, unknown> = { ...provider.params, ...asked };
    if (Object.keys(asked).length > 0) Object.assign(provider, { params });
    this.writeCollectedFeats = params["writeCollectedFeats"] === true;
  }

  static async forward(batchIndices: number | readonly number[], env: CollectStatsEnv): Promise<CollectedBatch> {
    const indices = typeof batchIndices === "number" ? [batchIndices] : batchIndices;
    return { batch: await collectStatsBatch(indices, env) };
  }

  static override openWriters(shardDir: string, _env: CollectStatsEnv): StatsWriters {
    return {
      shapes: keyedWriter((key) => textWriter(shardDir, shapeName(key))),
      feats: keyedWriter((key) => npyScpWriter(shardDir, { name: featsName(key) })),
    };
  }

  static override async initState(place: Parameters<typeof BaseRunner.initState>[0], env: never): Promise<StatsState> {
    return { ...(await super.initState(place, env)), stats: {} };
  }

  /** One result for the whole batch, or without `batchSize` an array with the one of its item. */
  static override writeBatch(
    writers: Writers,
    results: CollectedBatch | readonly CollectedBatch[],
    state: ShardState,
    _env: CollectStatsEnv,
  ): void {
    const { shapes, feats } = writers as StatsWriters;
    const { batch } = "batch" in results ? results : results[0]!;
    const [stats, shapeLists, kept = {}] = batch;
    addStats((state as StatsState).stats, stats, "a later batch");
    for (const [key, list] of Object.entries(shapeLists)) {
      for (const [uid, shape] of list) void shapes.write([key, `${uid} ${shape}`]);
    }
    for (const [key, records] of Object.entries(kept)) for (const record of records) void feats.write([key, record]);
  }

  static override async closeWriters(writers: Writers, state: ShardState, _env: CollectStatsEnv): Promise<void> {
    const { shapes, feats } = writers as StatsWriters;
    await shapes.close();
    await feats.close();
    const { stats } = state as StatsState;
    const keys = Object.keys(stats).sort();
    const write = (name: string, content: string | Uint8Array) => writeFileSync(join(state.shardDir, name), content);
    write(keyLists.shapes, linesOf(shapes.keys()));
    write(keyLists.feats, linesOf(feats.keys()));
    write(keyLists.stats, linesOf(keys));
    for (const key of keys) write(`${safeFileName(key)}_stats.npz`, encodeStats(stats[key]!));
  }

  override async merge(shardDirs: string[]): Promise<CollectedStats> {
    const { runDir, mode, writeCollectedFeats } = this;
    return mergeStats(shardDirs, { runDir, mode, writeCollectedFeats });
  }
}

function linesOf(words: readonly string[]): string {
  return words.map((word) => `${word}\n`).join("");
}

function requireMode(mode: string | undefined): string {
  if (typeof mode === "string" && /^[^/\\]+$/.test(mode) && mode !== "." && mode !== "..") return mode;
  throw new MillraceError("BAD_OPTION", `Option mode is ${JSON.stringify(mode)}; the name of a split was expected.`, {
    hint: 'Pass mode: "train", for instance: the outputs go to outputDir/train.',
  });
}
