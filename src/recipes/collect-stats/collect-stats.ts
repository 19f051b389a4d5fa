import { isDataset } from "../../datasets.ts";
import {
  type EnvironmentProvider,
  findProjectRoot,
  type ItemIndex,
  type Items,
  MillraceError,
  positionOf,
  type RunnerOptions,
} from "../../index.ts";
import { type DatasetRun, itemsIn, openItems } from "../open-items.ts";
import type { CollateFn, CollectFeatsModel, CollectStatsEnv, StatsDataset } from "./collect-stats-env.ts";
import { type CollectStatsConfig, CollectStatsProvider, type Described } from "./collect-stats-provider.ts";
import { CollectStatsRunner } from "./collect-stats-runner.ts";
import type { CollectedStats, ScpPaths } from "./merge-stats.ts";

/** What to collect from, and how. Either `provider`, or `model` and `dataset`; the rest as for any runner. */
export interface CollectStatsOptions extends Omit<RunnerOptions<ItemIndex>, "shardSubdir"> {
  readonly outputDir: string;
  /** The split: outputs go to `outputDir/mode`. */
  readonly mode: string;
  readonly model?: Described<CollectFeatsModel> | undefined;
  readonly dataset?: Described<StatsDataset> | undefined;
  readonly dataLoader?: Readonly<Record<string, unknown>> | undefined;
  readonly collateFn?: CollateFn | undefined;
  /** Builds a custom env. */
  readonly provider?: EnvironmentProvider<CollectStatsEnv> | undefined;
  readonly writeCollectedFeats?: boolean | undefined;
  readonly collectStatsKwargs?: Readonly<Record<string, unknown>> | undefined;
  /** What the paths in the lists of features are relative to. Default: the folder that the run was started in. */
  readonly scpPaths?: ScpPaths | undefined;
  /** Utterances per call of `collectFeats`. Default 4, as in ESPnet3. */
  readonly batchSize?: number | null | undefined;
  /** The items. Default: all items of the dataset. */
  readonly items?: Items | undefined;
  /**
   * The folder that `_target_`s are resolved against. Default: the project of the config's file, or the working folder.
   */
  readonly projectRoot?: string | undefined;
}

/**
 * Collects statistics of one split: `{key}_stats.npz`, `{key}_shape`, with `writeCollectedFeats` the features, and an
 * HTML report, all in `outputDir/mode`. Returns the totals. After a kill, calling it again continues the run.
 */
export async function collectStats(options: CollectStatsOptions): Promise<CollectedStats> {
  const {
    model,
    dataset,
    dataLoader,
    collateFn,
    provider: given,
    projectRoot,
    items,
    batchSize = 4,
    ...rest
  } = options;
  refuseMultipleIterator(dataLoader, options.mode);
  const provider = given ?? makeProvider(options);
  const runner = new CollectStatsRunner(provider, { ...rest, batchSize });
  if (items !== undefined) return runner.run(items);
  const all = provider instanceof CollectStatsProvider ? await openDataset(provider) : await openItems(provider);
  try {
    return await runner.run(all.items);
  } finally {
    await all.close();
  }
}

/** The dataset of a config. One that was passed as an object belongs to the caller, and stays open. */
async function openDataset(provider: CollectStatsProvider): Promise<DatasetRun> {
  const dataset = await provider.buildDataset();
  return itemsIn(dataset, provider, async () => {
    if (isDataset(dataset) && dataset !== provider.config.dataset) await dataset.close();
  });
}

function makeProvider(options: CollectStatsOptions): CollectStatsProvider {
  const { model, dataset, dataLoader, collateFn, mode } = options;
  if (model === undefined || dataset === undefined) {
    throw new MillraceError("BAD_OPTION", "collectStats needs a model and a dataset, or a provider.", {
      hint: "Pass sections with _target_, the objects themselves (env: local), or a provider that builds them.",
    });
  }
  const loader = collateFn === undefined ? dataLoader : { ...dataLoader, collateFn };
  const root = options.projectRoot ?? projectOf([model, dataset, loader?.["collateFn"], loader?.["collate_fn"]]);
  const config: CollectStatsConfig = {
    model,
    dataset,
    mode,
    ...(loader && { dataLoader: loader }),
    ...(root !== undefined && { projectRoot: root }),
  };
  return new CollectStatsProvider(config);
}

/**
 * The folder that the targets in the parts are resolved against. Workers get the config as data, without its origin.
 */
function projectOf(parts: readonly unknown[]): string | undefined {
  const sections = parts.filter(
    (part): part is object => typeof part === "object" && part !== null && "_target_" in part,
  );
  if (sections.length === 0) return undefined;
  const source = sections.map((section) => positionOf(section)?.source).find((name) => name !== undefined);
  return source === undefined ? process.cwd() : findProjectRoot(source);
}

function refuseMultipleIterator(dataLoader: Readonly<Record<string, unknown>> | undefined, mode: string): void {
  const section = dataLoader?.[mode];
  if (typeof section !== "object" || section === null || !("multiple_iterator" in section)) return;
  throw new MillraceError("BAD_OPTION", `dataLoader.${mode}.multiple_iterator is not supported.`, {
    hint: "Leave it out: the run is cut into shards by itself. For a part of the dataset pass items.",
  });
}
