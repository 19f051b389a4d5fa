import { resolve } from "node:path";
import { formatScpLine } from "../../formats.ts";
import { checkShape, type ParallelInput, type RunnerOptions, range, type Shape, shape } from "../../index.ts";
import { checkPrepConfig, type PrepConfig } from "./prep-config.ts";
import { PrepProvider } from "./prep-provider.ts";
import { PrepRunner } from "./prep-runner.ts";
import type { PrepSummary } from "./prep-summary.ts";
import { digestOf } from "./read-utterances.ts";

/** What of a config says how the work is done: both sections are optional and never part of a run's identity. */
interface HowToRun {
  readonly parallel?: ParallelInput | null | undefined;
  readonly runner?: Readonly<Record<string, unknown>> | null | undefined;
}

const howToRun: Shape<HowToRun> = shape.object(
  {
    parallel: shape.optional(shape.nullable(shape.map(shape.any()))) as Shape<ParallelInput | null | undefined>,
    runner: shape.optional(shape.nullable(shape.map(shape.any()))),
  },
  { others: shape.any() },
);

/**
 * Prepares the corpus that a config names, or what is left of it: cleans, computes features, writes lists, a Kaldi folder,
 * statistics and a dataset to share. The sections `parallel:` and `runner:` beside `prep:` count, unless options are given.
 */
export async function prepareData(config: PrepConfig, options: RunnerOptions = {}): Promise<PrepSummary> {
  const prep = checkPrepConfig(config);
  const outputDir = resolve(prep.output_dir);
  // Lists name files in it. A folder that no list can name is refused now and not after the work.
  formatScpLine({ key: "utt", path: resolve(outputDir, "feats.ark"), offset: 0 });
  const own: PrepConfig = { prep };
  // Mistakes of the manifest and of options are said here, and not by every worker.
  const dataset = PrepProvider.buildDataset(own);
  PrepProvider.buildModel(own);
  PrepProvider.buildCleaner(own);
  const provider = new PrepProvider(own, { manifest_digest: digestOf(dataset) });
  const runner = new PrepRunner(provider, { ...optionsOf(config), ...options, outputDir });
  return runner.run(range(dataset.length));
}

/** The options of the runner that a config has, by the names they have in code. */
function optionsOf(config: object): RunnerOptions {
  const { parallel, runner } = checkShape(config, howToRun);
  const named = Object.entries(runner ?? {}).filter(([, value]) => value !== null);
  const camelCased = named.map(([key, value]) => [
    key.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return {
    ...(Object.fromEntries(camelCased) as RunnerOptions),
    ...(parallel == null ? {} : { parallel: withoutNulls(parallel) }),
  };
}

function withoutNulls(parallel: ParallelInput): ParallelInput {
  return Object.fromEntries(Object.entries(parallel).filter(([, value]) => value !== null)) as ParallelInput;
}
