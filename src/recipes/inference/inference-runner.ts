import { basename, join } from "node:path";
import {
  type Awaitable,
  BaseRunner,
  concatenateShardFiles,
  defineRunner,
  type InferenceEnv,
  type ItemIndex,
  MillraceError,
  type OwnOptions,
  readShardState,
  type ShardPlace,
  type ShardState,
} from "../../index.ts";
import { loadArtifactWriters } from "./artifact-writer.ts";
import { inferBatch, inferOne, type ModelCall, type OutputFn } from "./call-model.ts";
import { findDuplicateId } from "./find-duplicate-id.ts";
import { type CheckedInferenceOptions, type InferenceOptions, inferenceOptions, listOf } from "./inference-options.ts";
import { InferenceWriter } from "./inference-writer.ts";
import { loadFunction } from "./load-function.ts";
import { readOutputScp } from "./read-output-scp.ts";

/** The result of an inference run. */
export interface InferenceResult {
  /** The merged list of each key of the outputs. Paths in them are relative to the list's folder. */
  readonly scp: Readonly<Record<string, string>>;
  /** Number of outputs of each key. */
  readonly count: Readonly<Record<string, number>>;
}

/**
 * Runs a model over a dataset and writes the outputs as scp lists: one `key.scp` for each key of the outputs, with a
 * line `id value` for each item, in item order. Arrays, audio and objects are written to files that the lists refer to.
 *
 * The env has `dataset` (an array, or an object with `get(idx)`) and `model` (a function, or an object with `forward`),
 * as an `InferenceProvider` builds them. The model gets one object: the `inputKey` values of the item, and
 * `modelKwargs`; with `batchSize`, a list for each input key.
 */
export class InferenceRunner<
  Env extends InferenceEnv = InferenceEnv,
  Own extends InferenceOptions = InferenceOptions,
> extends BaseRunner<Env, unknown, Own, ItemIndex> {
  static readonly ownOptions: OwnOptions<InferenceOptions> = inferenceOptions;
  declare protected readonly ownOptions: CheckedInferenceOptions & Required<Own>;
  /** Makes the output of an item from `{ data, modelOutput, idx }`, in the place of the option of that name. */
  static readonly outputFn?: OutputFn;

  static async forward(idx: ItemIndex, env: InferenceEnv, options: CheckedInferenceOptions): Promise<unknown> {
    const { dataset, model } = env;
    const call: ModelCall = { dataset, model, options, outputFn: await this.chooseOutputFn(options) };
    if (typeof idx === "number") return inferOne(idx, call);
    return batchOrSingles(idx, call);
  }

  static override async initState(
    { shardId, shardDir }: ShardPlace,
    env: InferenceEnv,
    options: CheckedInferenceOptions,
  ): Promise<ShardState> {
    // Before the first item: a function that cannot be loaded is not the fault of an item.
    await this.chooseOutputFn(options);
    return { shardId, shardDir, writers: await this.openWriters(shardDir, env, { ...options, shardId }) };
  }

  static override async openWriters(
    shardDir: string,
    _env: InferenceEnv,
    { shardId = 0, ...options }: CheckedInferenceOptions & { readonly shardId?: number },
  ): Promise<InferenceWriters> {
    const writers = await loadArtifactWriters(options);
    return { records: new InferenceWriter({ shardDir, shardId, options, writers }) };
  }

  static override closeWriters({ records }: InferenceWriters): object {
    const { keys } = records;
    records.close();
    return { keys };
  }

  protected override async beforeStart(): Promise<void> {
    if (this.runDir === "") {
      throw new MillraceError("BAD_OPTION", `${this.constructor.name} needs an outputDir: its results are files.`, {
        hint: 'Pass outputDir, as in { outputDir: "exp/decode/test" }.',
      });
    }
    const statics = this.constructor as typeof InferenceRunner;
    await statics.chooseOutputFn(this.ownOptions);
    await loadArtifactWriters(this.ownOptions);
  }

  override merge(shardDirs: string[]): Awaitable<InferenceResult> {
    if (shardDirs.length === 0) {
      throw new MillraceError("BAD_ITEMS", `${this.constructor.name} had no items: is the dataset empty?`, {
        hint: "Look at what the dataset is made from, and start over with resume: false.",
      });
    }
    const { hypKey, refKey } = this.ownOptions;
    const written = shardDirs.flatMap((dir) => readShardState<{ keys?: string[] }>(dir).keys ?? []);
    const scp: Record<string, string> = {};
    const count: Record<string, number> = {};
    // A required list exists even if every item was dropped.
    for (const key of new Set([...listOf(hypKey), ...listOf(refKey), ...written])) {
      const target = join(this.runDir, `${key}.scp`);
      count[key] = concatenateShardFiles(shardDirs, `${key}.scp`, target).lines ?? 0;
      requireUniqueIds(target, count[key]);
      scp[key] = target;
    }
    return { scp, count };
  }

  private static async chooseOutputFn({
    outputFn,
  }: {
    readonly outputFn?: string | undefined;
  }): Promise<OutputFn | undefined> {
    if (this.outputFn !== undefined) return this.outputFn;
    return outputFn === undefined ? undefined : ((await loadFunction(outputFn)) as OutputFn);
  }
}

defineRunner(import.meta, InferenceRunner);

interface InferenceWriters {
  readonly records: InferenceWriter;
}

// What is known of the models of this process: whether they have taken a batch, or have to be called item by item.
const takesBatches = new WeakSet<object>();
const takesItems = new WeakSet<object>();

/** Not every model accepts lists. One that never has is called item by item: only the speed differs. */
async function batchOrSingles(indices: readonly number[], call: ModelCall): Promise<readonly unknown[]> {
  const model = Object(call.model) as object;
  if (takesItems.has(model)) return singles(indices, call);
  try {
    const outputs = await inferBatch(indices, call);
    takesBatches.add(model);
    return outputs;
  } catch (cause) {
    // A model that accepts lists could mistake the parts of a single item for a list.
    if (takesBatches.has(model)) throw cause;
    const outputs = await singles(indices, call).catch(() => undefined);
    if (outputs === undefined) throw cause;
    takesItems.add(model);
    const why = (cause instanceof Error ? cause.message : String(cause)).split("\n", 1)[0];
    process.stderr.write(
      `millrace: the model or outputFn did not take a batch (${why}): items are run one by one. Leave batchSize out, or have them take lists.\n`,
    );
    return outputs;
  }
}

async function singles(indices: readonly number[], call: ModelCall): Promise<readonly unknown[]> {
  const outputs: unknown[] = [];
  for (const idx of indices) outputs.push(await inferOne(idx, call));
  return outputs;
}

function requireUniqueIds(path: string, count: number): void {
  const duplicate = findDuplicateId([path], idsOf, count);
  if (duplicate === undefined) return;
  const [first, second] = duplicate.places.map(({ line }) => line);
  throw new MillraceError(
    "MERGE_FAILED",
    `The id ${JSON.stringify(duplicate.id)} occurs twice in ${basename(path)}, in lines ${first} and ${second}.`,
    {
      hint: `Each item needs an id of its own: results are found by it. Correct the ids and start over with resume: false; ${path} is there to look at.`,
    },
  );
}

function* idsOf(path: string): Generator<string> {
  for (const { id } of readOutputScp(path)) yield id;
}
