import { resolve } from "node:path";
import { isDataset } from "../../datasets.ts";
import { formatScpLine } from "../../formats.ts";
import { type ItemIndex, type RunnerOptions, range } from "../../index.ts";
import { optionsOfConfig } from "../options-of-config.ts";
import { projectRootOf } from "../utterances/dataset-target.ts";
import { checkUtterances } from "./open-utterances.ts";
import { checkPrepConfig, type PrepConfig, type PrepSection } from "./prep-config.ts";
import { type PrepParams, PrepProvider } from "./prep-provider.ts";
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
  const prepConfig: PrepConfig = { prep };
  // Mistakes in the manifest and options are reported here, and not by every worker.
  const ofDataset = await checkDataset(prep, projectRootOf(config));
  PrepProvider.buildModel(prepConfig);
  PrepProvider.buildCleaner(prepConfig);
  const dataset = await PrepProvider.buildDataset(prepConfig, ofDataset);
  try {
    const provider = new PrepProvider(prepConfig, { manifest_digest: await digestOf(dataset), ...ofDataset });
    const runner = new PrepRunner(provider, { ...optionsOfConfig(config), ...options, outputDir });
    return await runner.run(isDataset(dataset) ? dataset : range(dataset.length));
  } finally {
    if (isDataset(dataset)) await dataset.close();
  }
}

/** Checks the dataset of a section; what is found is passed to the workers. Nothing for a manifest, which is checked as it is read. */
async function checkDataset(prep: PrepSection, projectRoot: string): Promise<PrepParams> {
  const { manifest } = prep;
  if (typeof manifest === "string") return {};
  const speaker_prefix = await checkUtterances({ ...prep, manifest }, projectRoot);
  return { speaker_prefix, project_root: projectRoot };
}
