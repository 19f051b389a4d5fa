import { resolve } from "node:path";
import { getParallelConfig, type ParallelInput, type RunnerOptions, range } from "../../index.ts";
import { optionsOfConfig } from "../options-of-config.ts";
import { requireSoundManifest } from "./check-manifest.ts";
import { readManifest } from "./manifest.ts";
import { findModel } from "./model/find-model.ts";
import { splitPlaces } from "./outputs/split-places.ts";
import { vectorFormat } from "./outputs/vector-format.ts";
import { checkXVectorConfig, splitsOf, tagOf, type XVectorConfig, type XVectorSection } from "./xvector-config.ts";
import { XVectorProvider } from "./xvector-provider.ts";
import { XVectorRunner } from "./xvector-runner.ts";
import type { XVectorSummary } from "./xvector-summary.ts";

/**
 * Extracts one embedding for every utterance of every split that a config names, or those that are left of it, and writes
 * index, speaker means and report. The sections `parallel:` and `runner:` beside `xvector:` count, unless options are given.
 */
export async function extractXVectors(config: XVectorConfig, options: RunnerOptions = {}): Promise<XVectorSummary[]> {
  const section = checkXVectorConfig(config);
  const format = vectorFormat(section.output_format ?? undefined);
  const manifests = splitsOf(section).map((split) => ({
    split,
    manifest: readManifest(resolve(section.manifest_paths[split]!)),
  }));
  // Whatever is wrong with any of them is said before the first hour of work.
  for (const { manifest } of manifests) requireSoundManifest(manifest);
  // Fetched once, here, and not by every worker at the same time.
  const found = await findModel(section);
  const given = optionsOf(config, section);
  const summaries: XVectorSummary[] = [];
  for (const { split, manifest } of manifests) {
    const outputDir = resolve(section.save_path, tagOf(section), split);
    const provider = new XVectorProvider(
      { xvector: section },
      {
        manifest_path: manifest.path,
        output_dir: outputDir,
        manifest_digest: manifest.digest(),
        ...(found === undefined ? {} : { model_sha256: found.sha256 }),
      },
    );
    const { runDir } = splitPlaces(outputDir, format);
    const asked = { ...given, ...options };
    const shards = asked.shards ?? fewShards(manifest.length, asked.parallel ?? getParallelConfig());
    const runner = new XVectorRunner(provider, {
      ...asked,
      outputDir: runDir,
      ...(shards === undefined ? {} : { shards }),
    });
    summaries.push(await runner.run(range(manifest.length)));
  }
  return summaries;
}

// A shard costs some files; an utterance takes long enough that fewer of them leave no worker idle for long.
const utterancesAShard = 8;
const shardsAWorker = 8;

/** How many shards a small corpus is cut into; a large one, or one for nobody knows how many workers, as usual. */
function fewShards(count: number, { n_workers, nWorkers = n_workers }: ParallelInput): number | undefined {
  if (nWorkers === undefined || count > 128 * utterancesAShard) return undefined;
  return Math.max(1, Math.min(count, Math.max(shardsAWorker * nWorkers, Math.ceil(count / utterancesAShard))));
}

/** The options of the runner, with the batches that the section of the recipe asks for. */
function optionsOf(config: object, { batch_size, batch_seconds }: XVectorSection): RunnerOptions {
  return {
    ...optionsOfConfig(config),
    ...(batch_size == null ? {} : { batchSize: batch_size }),
    ...(batch_seconds == null ? {} : { batchBy: { cost: "sum", max: batch_seconds } }),
  };
}
