import { join } from "node:path";
import {
  EnvironmentProvider,
  type InferenceEnv,
  type ItemIndex,
  instantiate,
  MillraceError,
  type RunnerOptions,
} from "../../index.ts";
import { type DatasetRun, openItems } from "../open-items.ts";
import { optionsOfConfig } from "../options-of-config.ts";
import { projectRootOf } from "../utterances/dataset-target.ts";
import { checkInferConfig, type InferConfig } from "./infer-config.ts";
import { InferProvider } from "./infer-provider.ts";
import { inferenceOptions } from "./inference-options.ts";
import { type InferenceResult, InferenceRunner } from "./inference-runner.ts";

/**
 * Runs inference over every test set of a config, one after the other: `inference_dir/name` has the lists of each. The keys
 * are ESPnet3's: `dataset.test`, `model`, `input_key`, `output_keys`, `output_fn`, `idx_key`, `output_artifacts`,
 * `batch_size`, `provider`,
 * `runner`, `parallel`. Without `output_keys` all keys of the outputs are written; no references are asked for.
 */
export async function infer(
  config: object,
  options: RunnerOptions<ItemIndex> = {},
): Promise<Record<string, InferenceResult>> {
  const checked = checkInferConfig(config);
  const projectRoot = projectRootOf(config);
  const runs: { name: string; dataset: DatasetRun; runner: InferenceRunner }[] = [];
  try {
    // All mistakes are reported before the work begins.
    for (const { name } of checked.dataset.test) {
      const provider = await makeProvider(checked, name, projectRoot);
      const runner = await makeRunner(checked, provider, {
        projectRoot,
        options: { ...options, outputDir: join(checked.inference_dir, name) },
      });
      const dataset = await openItems(provider);
      runs.push({ name, dataset, runner });
      if (dataset.length > 0) continue;
      throw new MillraceError("BAD_ITEMS", `The test set ${name} is empty.`, {
        hint: "Look at the files that its dataset is made from.",
      });
    }
    const results: Record<string, InferenceResult> = {};
    for (const { name, dataset, runner } of runs) results[name] = await runner.run(dataset.items);
    return results;
  } finally {
    for (const { dataset } of runs) await dataset.close();
  }
}

// The classes that ESPnet3's own configs name for what is the default here.
const stockProvider = "espnet3.systems.base.inference_provider.InferenceProvider";
const stockRunner = "espnet3.systems.base.inference_runner.InferenceRunner";

async function makeProvider(
  config: InferConfig,
  name: string,
  projectRoot: string,
): Promise<EnvironmentProvider<InferenceEnv>> {
  const { _target_, params, ...more } = config.provider ?? {};
  const given = { ...more, ...params };
  const setConfig = configOf(config, name);
  if ((_target_ == null || _target_ === stockProvider) && "copy" in setConfig && setConfig.copy != null)
    throw new MillraceError(
      "BAD_CONFIG",
      "The config has a key copy, which is not read: its columns would be missing.",
      {
        hint: "Write columns of the dataset with output_fn, or with a provider of your own.",
      },
    );
  if (_target_ == null || _target_ === stockProvider)
    return new InferProvider({ ...setConfig, project_root: projectRoot }, given);
  const made = await instantiate({ _target_ }, { projectRoot, args: [setConfig, given] });
  if (made instanceof EnvironmentProvider) return made as EnvironmentProvider<InferenceEnv>;
  throw new MillraceError("BAD_TARGET", `provider._target_ ${_target_} gave no provider.`, {
    hint: "Name a class that extends InferenceProvider or EnvironmentProvider.",
  });
}

/**
 * The provider's config, which is part of a run's identity: without what says how it is run, and without the other test
 * sets,
 * so that a test set can be added later.
 */
function configOf(config: InferConfig, name: string) {
  const { provider, runner, batch_size, inference_dir, dataset, ...rest } = config;
  const { parallel, ...others } = rest as typeof rest & { readonly parallel?: unknown };
  return { ...others, test_set: name, dataset: { ...dataset, test: dataset.test.filter((set) => set.name === name) } };
}

async function makeRunner(
  config: InferConfig,
  provider: EnvironmentProvider<InferenceEnv>,
  { projectRoot, options }: { readonly projectRoot: string; readonly options: RunnerOptions<ItemIndex> },
): Promise<InferenceRunner> {
  const { _target_, ...section } = config.runner ?? {};
  const { batch_size } = config;
  const given = {
    ...optionsOfConfig({ ...config, runner: section }),
    ...inferenceSection(config),
    ...(batch_size == null ? {} : { batchSize: batch_size }),
    ...options,
  };
  if (_target_ == null || _target_ === stockRunner) return new InferenceRunner(provider, given);
  const made = await instantiate({ _target_ }, { projectRoot, args: [provider, given] });
  if (made instanceof InferenceRunner) return made as InferenceRunner;
  throw new MillraceError("BAD_TARGET", `runner._target_ ${_target_} gave no InferenceRunner.`, {
    hint: "Name a class that extends InferenceRunner.",
  });
}

/**
 * The options of the runner that stand at the top of the config. As in ESPnet3, the hypotheses are the keys to be
 * written.
 */
function inferenceSection(config: object): object {
  const named = Object.keys(inferenceOptions).map((name) => {
    const key = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [name, Reflect.get(config, key) as unknown] as const;
  });
  const given = Object.fromEntries(named.filter(([, value]) => value != null));
  return { hypKey: given["outputKeys"] ?? [], refKey: [], ...given };
}
