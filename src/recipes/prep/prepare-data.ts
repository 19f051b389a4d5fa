import { resolve } from "node:path";
import { formatScpLine } from "../../formats.ts";
import { type ItemIndex, type RunnerOptions, range } from "../../index.ts";
import { optionsOfConfig } from "../options-of-config.ts";
import { checkPrepConfig, type PrepConfig } from "./prep-config.ts";
import { PrepProvider } from "./prep-provider.ts";
import { PrepRunner } from "./prep-runner.ts";
import type { PrepSummary } from "./prep-summary.ts";
import { digestOf } from "./read-utterances.ts";

/**
 * Prepares the corpus of a config, or what is left of it: cleans, computes features, writes lists, a Kaldi folder,
 * statistics and a dataset to share. The sections `parallel:` and `runner:` beside `prep:` are used unless options are
 * given.
 */
export async function prepareData(config: PrepConfig, options: RunnerOptions<ItemIndex> = {}): Promise<PrepSummary> {
  const prep = checkPrepConfig(config);
  const outputDir = resolve(prep.output_dir);
  // Lists contain its path. A folder that no list can name is refused now and not after the work.
  formatScpLine({ key: "utt", path: resolve(outputDir, "feats.ark"), offset: 0 });
  const own: PrepConfig = { prep };
  // Mistakes in the manifest and options are reported here, and not by every worker.
  const dataset = PrepProvider.buildDataset(own);
  PrepProvider.buildModel(own);
  PrepProvider.buildCleaner(own);
  const provider = new PrepProvider(own, { manifest_digest: digestOf(dataset) });
  const runner = new PrepRunner(provider, { ...optionsOfConfig(config), ...options, outputDir });
  return runner.run(range(dataset.length));
}
