import { resolve } from "node:path";
import {
  getParallelConfig,
  type ItemIndex,
  type Items,
  MillraceError,
  type ParallelInput,
  type RunnerOptions,
  range,
  type SubmittedRun,
} from "../../index.ts";
import { optionsOfConfig } from "../options-of-config.ts";
import { type DatasetTarget, optionsForRows, projectRootOf } from "../utterances/dataset-target.ts";
import { requireSound } from "./check-manifest.ts";
import { findModel } from "./model/find-model.ts";
import { splitPlaces } from "./outputs/split-places.ts";
import { vectorFormat } from "./outputs/vector-format.ts";
import { noCost, type OpenedSplit, openSplit } from "./split-utterances.ts";
import {
  checkXVectorConfig,
  manifestOf,
  splitsOf,
  tagOf,
  type XVectorConfig,
  type XVectorSection,
} from "./xvector-config.ts";
import { type XVectorParams, XVectorProvider } from "./xvector-provider.ts";
import { XVectorRunner } from "./xvector-runner.ts";
import type { XVectorSummary } from "./xvector-summary.ts";

/**
 * Extracts one embedding for every utterance of every split of a config, or those that are left, and writes index,
 * speaker means and report. The sections `parallel:` and `runner:` beside `xvector:` are used unless options are given.
 */
export async function extractXVectors(
  config: XVectorConfig,
  options: RunnerOptions<ItemIndex> = {},
): Promise<XVectorSummary[]> {
  if (isAsync(config)) {
    throw new MillraceError("BAD_OPTION", "async_mode is set, but extractXVectors waits for the vectors.", {
      hint: "Call submitXVectors(config), which returns at once, or leave async_mode out.",
    });
  }
  const summaries: XVectorSummary[] = [];
  await withRunners(config, options, async ({ runner, items }) => void summaries.push(await runner.run(items)));
  return summaries;
}

/** A split whose vectors are made without this process. */
export interface SubmittedSplit extends SubmittedRun {
  readonly split: string;
}

/**
 * Leaves the extraction to jobs of a scheduler, or to a process in the background, and returns at once; the last worker of a
 * split writes its index, means and report. This is what `async_mode: true` of a config asks for.
 */
export async function submitXVectors(
  config: XVectorConfig,
  options: RunnerOptions<ItemIndex> = {},
): Promise<SubmittedSplit[]> {
  const submitted: SubmittedSplit[] = [];
  await withRunners(config, options, async ({ split, runner, items }) => {
    submitted.push({ split, ...(await runner.submit(items)) });
  });
  return submitted;
}

/** Whether a config leaves the work to jobs: `async_mode` of its section `xvector:` or `runner:`. */
export function isAsync(config: XVectorConfig): boolean {
  const { asyncMode = false } = optionsOfConfig(config) as { readonly asyncMode?: boolean };
  return checkXVectorConfig(config).async_mode ?? asyncMode;
}

interface SplitRunner {
  readonly split: string;
  readonly items: Items;
  readonly runner: XVectorRunner;
}

/** Checks everything, and calls a function with the runner of each split, one after the other. */
async function withRunners(
  config: XVectorConfig,
  options: RunnerOptions<ItemIndex>,
  use: (runner: SplitRunner) => Promise<void>,
): Promise<void> {
  const section = checkXVectorConfig(config);
  const projectRoot = projectRootOf(config);
  const opened: (OpenedSplit & { readonly split: string; readonly manifest: string | DatasetTarget })[] = [];
  try {
    for (const split of splitsOf(section)) {
      const manifest = manifestOf(section, split);
      opened.push({ split, manifest, ...(await openSplit({ manifest, columns: section.columns ?? {}, projectRoot })) });
    }
    // All mistakes are reported before the work begins.
    for (const { utterances, dataset } of opened) {
      if (section.batch_seconds != null && dataset?.isLocal === false) throw noCost(utterances.path);
      await requireSound(utterances);
    }
    // Fetched once, here, and not by every worker at the same time.
    const found = await findModel(section);
    const asked = { ...optionsOf(config, section), ...options };
    for (const { split, manifest, utterances, dataset } of opened) {
      const params: XVectorParams = {
        manifest_path: utterances.path,
        ...(typeof manifest === "string" ? {} : { dataset: manifest, project_root: projectRoot }),
        output_dir: resolve(section.save_path, tagOf(section), split),
        manifest_digest: utterances.digest(),
        ...(found === undefined ? {} : { model_sha256: found.sha256 }),
      };
      const runner = makeRunner(section, params, {
        ...optionsForRows(manifest),
        ...asked,
        length: utterances.length,
      });
      await use({ split, runner, items: dataset ?? range(utterances.length) });
    }
  } finally {
    for (const { dataset } of opened) await dataset?.close();
  }
}

function makeRunner(
  section: XVectorSection,
  params: XVectorParams,
  { length, ...asked }: RunnerOptions<ItemIndex> & { readonly length: number },
): XVectorRunner {
  const provider = new XVectorProvider({ xvector: identityOf(section) }, params);
  const { runDir } = splitPlaces(params.output_dir, vectorFormat(section.output_format ?? undefined));
  const shards = asked.shards ?? fewShards(length, asked.parallel ?? getParallelConfig());
  return new XVectorRunner(provider, { ...asked, outputDir: runDir, ...(shards === undefined ? {} : { shards }) });
}

/** The section as part of a run's identity: a run may be finished in another way than it was begun. */
function identityOf({ async_mode, ...section }: XVectorSection): XVectorSection {
  return section;
}

// A shard costs some files; utterances take long enough that shards of several leave no worker idle for long.
const utterancesPerShard = 8;
const shardsPerWorker = 8;

/** The number of shards of a small corpus; a large one, or one with an unknown number of workers, uses the default. */
function fewShards(count: number, { n_workers, nWorkers = n_workers }: ParallelInput): number | undefined {
  if (nWorkers === undefined || count > 128 * utterancesPerShard) return undefined;
  return Math.max(1, Math.min(count, Math.max(shardsPerWorker * nWorkers, Math.ceil(count / utterancesPerShard))));
}

/** The options of the runner, with the batches that the section of the recipe asks for. */
function optionsOf(config: object, { batch_size, batch_seconds }: XVectorSection): RunnerOptions<ItemIndex> {
  return {
    ...withoutMode(optionsOfConfig(config)),
    ...(batch_size == null ? {} : { batchSize: batch_size }),
    ...(batch_seconds == null ? {} : { batchBy: { cost: "sum", max: batch_seconds } }),
  };
}

// Which of the two functions is called decides.
function withoutMode(options: RunnerOptions<ItemIndex> & { readonly asyncMode?: unknown }): RunnerOptions<ItemIndex> {
  const { asyncMode, ...others } = options;
  return others;
}
