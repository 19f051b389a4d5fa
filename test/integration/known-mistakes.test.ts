// Every mistake that the documentation of ESPnet3 warns its users about, made on purpose. What it says there in prose, an
// error says here, when it happens: what, where, why and what to do.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { MillraceError, range, setParallel } from "millrace";
import { CollectStatsProvider, CollectStatsRunner, extractXVectors } from "millrace/recipes";
import { describe, expect, it } from "vitest";
import type { AnyProvider, AnyRunnerClass } from "../fixtures/runners/mistakes.mjs";
import * as mistakes from "../fixtures/runners/mistakes.mjs";
import { temporaryFolder } from "../support/temporary-folder.ts";

const { GoodProvider, GoodRunner } = mistakes;
const local = { progress: false } as const;
const workers = { ...local, parallel: { env: "process", n_workers: 2 } } as const;

interface Parts {
  readonly provider?: AnyProvider;
  readonly runner?: AnyRunnerClass;
}

async function run({ provider = new GoodProvider({}), runner = GoodRunner }: Parts, options: object = local) {
  return new runner(provider, options).run(range(4));
}

async function failureOf(act: () => unknown): Promise<MillraceError> {
  const error: unknown = await (async () => act())().then(
    (value) => `no mistake was found: ${JSON.stringify(value)}`,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(MillraceError);
  return error as MillraceError;
}

/** What was done, the code, what the message says of it (what, where, why), and what it says to do. */
type Mistake = readonly [
  title: string,
  act: () => unknown,
  code: string,
  says: readonly (string | RegExp)[],
  todo: RegExp,
];

async function expectLesson([, act, code, says, todo]: Mistake): Promise<void> {
  const error = await failureOf(act);
  expect(error.code).toBe(code);
  for (const part of says) expect(error.reason).toMatch(part);
  expect(error.hint).toMatch(todo);
  expect(error.message.endsWith(`\n  [npx millrace explain ${code}]`)).toBe(true);
}

const manifestOf = (text: string) => {
  const path = join(temporaryFolder(), "train.tsv");
  writeFileSync(path, text);
  return path;
};
const xvector = (section: object) =>
  extractXVectors({
    xvector: { toolkit: "builtin", spk_embed_tag: "tag", save_path: temporaryFolder(), ...section },
  } as unknown as Parameters<typeof extractXVectors>[0]);

describe("the list of common mistakes", () => {
  const common: readonly Mistake[] = [
    [
      "a key has another name in the provider than in forward",
      () => run({ provider: new mistakes.ShortKeyProvider({}) }),
      "ITEM_FAILED",
      [
        /GoodRunner\.forward failed at item 0/,
        /forward read `model` \(did you mean `mdl`\?\)/,
        /it builds dataset, mdl/,
      ],
      /same name in the provider and in forward/,
    ],
    [
      "buildWorkerSetupFn returns the env instead of a function",
      () => run({ provider: new mistakes.ObjectSetupProvider({}) }, workers),
      "BAD_PROVIDER",
      [/ObjectSetupProvider\.buildWorkerSetupFn returned an object/],
      /Return a function that builds the env.*called in each worker/,
    ],
    [
      "buildWorkerSetupFn returns a promise of the env",
      () => run({ provider: new mistakes.PromisedSetupProvider({}) }, workers),
      "BAD_PROVIDER",
      [/PromisedSetupProvider\.buildWorkerSetupFn returned a Promise/],
      /Return a function/,
    ],
    [
      "the model is loaded in forward",
      () => run({ runner: mistakes.LoadingRunner }),
      "BAD_RUNNER",
      [/forward \(.*mistakes\.mjs:\d+:\d+\) loads double\.onnx again: it has done so 2 times/],
      /runs once for every item.*Load the model in the provider.*forward\(idx, \{ model \}\)/,
    ],
    [
      "forward takes a batch for one index",
      () => run({ runner: mistakes.OneItemRunner }, { ...local, batchSize: 2 }),
      "BATCH_RESULT",
      [/OneItemRunner\.forward got an array of 2 indices and returned an object/],
      /forward gets an array of indices and returns an array with one result for each/,
    ],
    [
      "forward leaves dropped items out of a batch",
      () => run({ runner: mistakes.ShorteningRunner }, { ...local, batchSize: 4 }),
      "BATCH_RESULT",
      [/ShorteningRunner\.forward got an array of 4 indices and returned an array of 3/],
      /null drops that item/,
    ],
  ];

  it.each(common)("%s", (...mistake) => expectLesson(mistake));
});

describe("what the pages ask for", () => {
  const asked: readonly Mistake[] = [
    [
      "forward is missing",
      () => run({ runner: mistakes.MethodRunner }),
      "BAD_RUNNER",
      [/MethodRunner has no static forward/],
      /static forward/,
    ],
    [
      "forward captures self",
      () => run({ runner: mistakes.SelfishRunner }),
      "ITEM_FAILED",
      [/SelfishRunner\.forward failed at item 0/, /Cannot read properties of undefined/],
      /Correct it and run again/,
    ],
    [
      "the env is forgotten",
      () => run({ provider: new mistakes.EmptyProvider({}) }),
      "BAD_PROVIDER",
      [/EmptyProvider\.buildEnvLocal gave undefined as the env/],
      /Return an object with the keys that forward reads/,
    ],
    [
      "the builders of an InferenceProvider are not static",
      () => run({ provider: new mistakes.MethodBuildersProvider({}) }),
      "BAD_PROVIDER",
      [/MethodBuildersProvider has no static buildDataset\(config\)/],
      /Add it/,
    ],
    [
      "something else than a provider is passed",
      () => run({ provider: { dataset: [] } as unknown as AnyProvider }),
      "BAD_PROVIDER",
      [/GoodRunner got an object as its provider/],
      /extends EnvironmentProvider or InferenceProvider/,
    ],
    [
      "params are no data, and workers are elsewhere",
      () => run({ provider: new GoodProvider({}, { cleaner: (text: string) => text }) }, workers),
      "BAD_PROVIDER",
      [/params\.cleaner of GoodProvider is the function cleaner: a worker cannot get it/],
      /defineFunction\(import\.meta, theFunction\).*or make it in buildEnvLocal/,
    ],
    [
      "the setup needs a function that only the driver's object has",
      () => run({ provider: new mistakes.LateFieldProvider({}).prepare() }, workers),
      "BAD_PROVIDER",
      [/The field table of LateFieldProvider is the function lookUp: a worker cannot get it/],
      /Put the data it is made from into params \(or config\).*make it in buildEnvLocal/,
    ],
    [
      "a worker cannot find the class",
      () => run({ runner: mistakes.UnplacedRunner }, workers),
      "BAD_RUNNER",
      [/UnplacedRunner has no static `module`, so a worker cannot find it/],
      /defineRunner\(import\.meta, UnplacedRunner\);.*export the class/,
    ],
    [
      "the class is not exported",
      () => run({ runner: mistakes.hidden.HiddenRunner }, workers),
      "BAD_RUNNER",
      [/mistakes\.mjs does not export a class HiddenRunner/],
      /export class HiddenRunner/,
    ],
    [
      "the number of items is passed instead of their indices",
      () => new GoodRunner(new GoodProvider({}), local).run(4 as never),
      "BAD_ITEMS",
      [/run got 4; it takes the indices of the items/],
      /run\(range\(4\)\)/,
    ],
    [
      "options have their Python names",
      () => run({}, { output_dir: "exp" }),
      "BAD_OPTION",
      [/Option "output_dir" is not known/],
      /Did you mean outputDir/,
    ],
    [
      "the env of parallel is misspelt",
      () => setParallel({ env: "slrum" } as never),
      "BAD_OPTION",
      [/parallel\.env: "slrum" is not known/],
      /Did you mean slurm/,
    ],
    [
      "an option of a cluster is misspelt",
      () => run({}, { ...local, parallel: { env: "slurm", options: { wall_time: "04:00:00" } } }),
      "BAD_OPTION",
      [/"wall_time" is not known to env slurm/],
      /Did you mean walltime/,
    ],
    [
      "a detached run has no folder to leave its results in",
      () => run({}, { ...local, asyncMode: true }),
      "BAD_OPTION",
      [/A run that is left alone needs an outputDir/],
      /must stay when this process has ended/,
    ],
  ];

  it.each(asked)("%s", (...mistake) => expectLesson(mistake));
});

describe("what the recipes ask for", () => {
  const stats = (config: object) => {
    const provider = new CollectStatsProvider({
      dataset: [["a", { x: Float32Array.of(1) }]],
      mode: "train",
      ...config,
    } as never);
    return new CollectStatsRunner(provider, { ...local, outputDir: temporaryFolder(), mode: "train" }).run([0]);
  };
  const model = { collectFeats: () => ({}) };
  const recipes: readonly Mistake[] = [
    [
      "a model cannot collect features",
      () => stats({ model: { forward: () => 1 } }),
      "BAD_PROVIDER",
      [/The model of collectStats is not an object with a method collectFeats/],
      /_target_/,
    ],
    [
      "a collate function returns the batch alone",
      () => stats({ model, dataLoader: { collateFn: () => ({ x: 1 }) } }),
      "ITEM_FAILED",
      [/collate function to return \[uids, batch\]/],
      /Correct it/,
    ],
    [
      "a dataset has not the mode that is asked for",
      () => stats({ model, dataset: { valid: [] } }),
      "BAD_PROVIDER",
      [/The dataset of collectStats is not .* under train/],
      /_target_/,
    ],
    [
      "a line of a manifest has a column too few",
      () => xvector({ manifest_paths: { train: manifestOf("utt1\twav/utt1.wav\tHE BEGAN\n") } }),
      "BAD_FILE",
      [/train\.tsv cannot be used/, /it has 3 columns, not 4 \(utt_id, wav_path, text, speaker_id\)/],
      /Correct these lines/,
    ],
    [
      "a split has no manifest",
      () => xvector({ manifest_paths: { train: "train.tsv" }, splits: ["test", "train"] }),
      "BAD_FILE",
      [/data\/manifest\/test\.tsv cannot be read/],
      /manifest_paths/,
    ],
    [
      "a toolkit is not known",
      () => xvector({ toolkit: "speechbrane", manifest_paths: { train: "train.tsv" } }),
      "BAD_CONFIG",
      [/toolkit is "speechbrane"/],
      /speechbrain/,
    ],
  ];

  it.each(recipes)("%s", (...mistake) => expectLesson(mistake));
});
