import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ArrayRecord, npyScpWriter, safeFileName } from "../../formats.ts";
import {
  BaseRunner,
  defineRunner,
  type EnvironmentProvider,
  type ItemIndex,
  type KeyedWriter,
  keyedWriter,
  MillraceError,
  type OwnOptions,
  type RunnerOptions,
  type ShardPlace,
  type ShardState,
  shape,
  textWriter,
} from "../../index.ts";
import { addStats } from "./add-stats.ts";
import { type BatchStats, collectStatsBatch, type SummedKey } from "./collect-stats-batch.ts";
import type { CollectStatsEnv } from "./collect-stats-env.ts";
import { type CollectedStats, mergeStats, type ScpPaths, scpPathsChoices } from "./merge-stats.ts";
import { featsName, keyLists, shapeName } from "./stats-files.ts";
import { encodeStats } from "./stats-npz.ts";

/** What `CollectStatsRunner` takes beside the options of every runner; the hooks get it. */
interface StatsOptions {
  /** Keeps the features as npy files and lists. Default: as the provider's params say, otherwise false. */
  readonly writeCollectedFeats?: boolean | undefined;
  /** Additional arguments for the model's `collectFeats`. Default: as in the provider's params. */
  readonly collectStatsKwargs?: Readonly<Record<string, unknown>> | undefined;
  /**
   * What the paths in `collect_feats/{key}.scp` are relative to: the folder that the run was started in (`recipe`, as
   * ESPnet reads them; absolute paths where the output is outside of it), or the list's folder (`list`: the output can
   * be moved). `absolute` paths are found from everywhere. Default: `recipe`.
   */
  readonly scpPaths?: ScpPaths | undefined;
}

/** The options of a runner, and what is special to statistics. */
export type CollectStatsRunnerOptions = RunnerOptions<ItemIndex> &
  StatsOptions & {
    /** The split, `train` for instance: the folder below `outputDir`. */
    readonly mode?: string | undefined;
  };

/** What `forward` returns for a batch: sums over its utterances, not separate values. */
export interface CollectedBatch {
  readonly batch: BatchStats;
}

interface StatsWriters {
  readonly shapes: KeyedWriter<string>;
  readonly feats: KeyedWriter<ArrayRecord>;
}

interface StatsState extends ShardState {
  readonly stats: Record<string, SummedKey>;
}

/**
 * Sums, sums of squares and shapes of a model's features over a dataset, like ESPnet3's runner of the same name. The
 * sums are exact until they are rounded once at the end, so any number of shards, workers and batches, and any kill,
 * gives the same bits.
 *
 * What the runner needs is in its env ({@link CollectStatsEnv}). `writeCollectedFeats` and `collectStatsKwargs` are put
 * into the provider's params, because workers get those: an `InferenceProvider` passes them on by itself.
 */
export class CollectStatsRunner extends BaseRunner<CollectStatsEnv, CollectedBatch, StatsOptions, ItemIndex> {
  static readonly ownOptions: OwnOptions<StatsOptions> = {
    writeCollectedFeats: { shape: shape.optional(shape.boolean()) },
    collectStatsKwargs: { shape: shape.optional(shape.map(shape.any())) },
    scpPaths: { shape: shape.optional(shape.oneOf(scpPathsChoices)) },
  };
  readonly mode: string;

  constructor(provider: EnvironmentProvider<CollectStatsEnv>, options: CollectStatsRunnerOptions) {
    const { mode, ...others } = options;
    super(provider, { ...others, shardSubdir: others.shardSubdir ?? requireMode(mode) });
    this.mode = mode ?? others.shardSubdir ?? "";
  }

  static async forward(
    batchIndices: ItemIndex,
    env: CollectStatsEnv,
    { writeCollectedFeats = env.writeCollectedFeats, collectStatsKwargs = env.collectStatsKwargs }: StatsOptions = {},
  ): Promise<CollectedBatch> {
    const indices = typeof batchIndices === "number" ? [batchIndices] : batchIndices;
    return { batch: await collectStatsBatch(indices, { ...env, writeCollectedFeats, collectStatsKwargs }) };
  }

  static override openWriters(shardDir: string, _env: CollectStatsEnv): StatsWriters {
    return {
      shapes: keyedWriter((key) => textWriter(shardDir, shapeName(key))),
      feats: keyedWriter((key) => npyScpWriter(shardDir, { name: featsName(key) })),
    };
  }

  static override async initState(place: ShardPlace, env: CollectStatsEnv): Promise<StatsState> {
    return { ...(await super.initState(place, env)), stats: {} };
  }

  /** One result for the whole batch, or without `batchSize` an array with the result of its item. */
  static override writeBatch(
    { shapes, feats }: StatsWriters,
    results: CollectedBatch | readonly CollectedBatch[],
    state: StatsState,
  ): void {
    const { batch } = "batch" in results ? results : results[0]!;
    const [stats, shapeLists, kept = {}] = batch;
    addStats(state.stats, stats, "a later batch");
    for (const [key, list] of Object.entries(shapeLists)) {
      for (const [uid, shape] of list) void shapes.write([key, `${uid} ${shape}`]);
    }
    for (const [key, records] of Object.entries(kept)) for (const record of records) void feats.write([key, record]);
  }

  static override async closeWriters({ shapes, feats }: StatsWriters, state: StatsState): Promise<void> {
    await shapes.close();
    await feats.close();
    const { stats } = state;
    const keys = Object.keys(stats).sort();
    const write = (name: string, content: string | Uint8Array) => writeFileSync(join(state.shardDir, name), content);
    write(keyLists.shapes, linesOf(shapes.keys()));
    write(keyLists.feats, linesOf(feats.keys()));
    write(keyLists.stats, linesOf(keys));
    for (const key of keys) write(`${safeFileName(key)}_stats.npz`, encodeStats(stats[key]!));
  }

  override async merge(shardDirs: string[]): Promise<CollectedStats> {
    const { runDir, mode } = this;
    const { scpPaths = "recipe" } = this.ownOptions;
    return mergeStats(shardDirs, { runDir, mode, writeCollectedFeats: this.keepsFeats(), scpPaths });
  }

  private keepsFeats(): boolean {
    const { params } = this.provider;
    const ofParams = "writeCollectedFeats" in params ? params.writeCollectedFeats : undefined;
    return (this.ownOptions.writeCollectedFeats ?? ofParams) === true;
  }
}

defineRunner(import.meta, CollectStatsRunner);

function linesOf(words: readonly string[]): string {
  return words.map((word) => `${word}\n`).join("");
}

function requireMode(mode: string | undefined): string {
  if (typeof mode === "string" && /^[^/\\]+$/.test(mode) && mode !== "." && mode !== "..") return mode;
  throw new MillraceError("BAD_OPTION", `Option mode is ${JSON.stringify(mode)}; the name of a split was expected.`, {
    hint: 'Pass mode: "train", for instance: the outputs go to outputDir/train.',
  });
}
