import { basename, join } from "node:path";
import {
  type Awaitable,
  BaseRunner,
  concatenateShardFiles,
  type InferenceEnv,
  type Items,
  MillraceError,
  type OwnOptions,
  readShardState,
  type ShardPlace,
  type ShardState,
  type Writers,
} from "../../index.ts";
import { inferBatch, inferOne, type ModelCall, type OutputFn } from "./call-model.ts";
import { findDuplicateId } from "./find-duplicate-id.ts";
import { type CheckedInferenceOptions, type InferenceOptions, inferenceOptions, listOf } from "./inference-options.ts";
import { InferenceWriter } from "./inference-writer.ts";
import { loadFunction, type NamedFunction } from "./load-function.ts";
import { readScp } from "./read-scp.ts";

/** What a finished inference run leaves in its folder. */
export interface InferenceResult {
  /** The merged list of each key of the outputs. Paths in them are relative to their own folder. */
  readonly scp: Readonly<Record<string, string>>;
  /** How many outputs there are of each key. */
  readonly count: Readonly<Record<string, number>>;
}

/**
 * Runs a model over a dataset and writes what it gives as scp lists: one `key.scp` for each key of the outputs, with a line
 * `id value` for each item, in item order. Arrays, audio and objects become files that the lists point at.
 *
 * The env has `dataset` (an array, or something with `get(idx)`) and `model` (a function, or something with `forward`), as an
 * `InferenceProvider` builds them. The model gets one object: what `inputKey` names of the item, and `modelKwargs`; with
 * `batchSize`, a list for each input key.
 */
export class InferenceRunner<
  Env extends InferenceEnv = InferenceEnv,
  Own extends InferenceOptions = InferenceOptions,
> extends BaseRunner<Env, unknown, InferenceResult, Own> {
  static readonly module: string = import.meta.url;
  static readonly ownOptions: OwnOptions<InferenceOptions> = inferenceOptions;
  /** Makes the output of an item from `{ data, modelOutput, idx }`, in the place of the option of that name. */
  static readonly outputFn?: OutputFn;

  static async forward(
    idx: number | readonly number[],
    env: InferenceEnv,
    options: CheckedInferenceOptions,
  ): Promise<unknown> {
    const { dataset, model } = env;
    const call: ModelCall = { dataset, model, options, outputFn: await this.chooseOutputFn(options) };
    if (typeof idx === "number") return inferOne(idx, call);
    return batchOrSingles(idx, call);
  }

  static override async initState(
    { shardId, shardDir }: ShardPlace,
    env: never,
    options: CheckedInferenceOptions,
  ): Promise<ShardState> {
    // Before the first item: a function that cannot be loaded is not that item's fault.
    await this.chooseOutputFn(options);
    return { shardId, shardDir, writers: await this.openWriters(shardDir, env, { ...options, shardId }) };
  }

  static override async openWriters(
    shardDir: string,
    _env: never,
    { shardId, ...options }: CheckedInferenceOptions & { readonly shardId: number },
  ): Promise<Writers> {
    const writers = await loadWriters(options);
    return { records: new InferenceWriter({ shardDir, shardId, options, writers }) };
  }

  static override closeWriters({ records }: Writers): object {
    const { keys } = records as InferenceWriter;
    (records as InferenceWriter).close();
    return { keys };
  }

  /** Runs the model over the items, or over what is left of them, and merges. */
  override async run(items: Items): Promise<InferenceResult> {
    if (this.runDir === "") {
      throw new MillraceError("BAD_OPTION", `${this.constructor.name} needs an outputDir: its results are files.`, {
        hint: 'Pass outputDir, as in { outputDir: "exp/decode/test" }.',
      });
    }
    const statics = this.constructor as typeof InferenceRunner;
    const options = this.ownOptions as unknown as CheckedInferenceOptions;
    await statics.chooseOutputFn(options);
    await loadWriters(options);
    return super.run(items);
  }

  override merge(shardDirs: string[]): Awaitable<InferenceResult> {
    const { hypKey, refKey } = this.ownOptions as unknown as CheckedInferenceOptions;
    const written = shardDirs.flatMap((dir) => readShardState<{ keys?: string[] }>(dir).keys ?? []);
    const scp: Record<string, string> = {};
    const count: Record<string, number> = {};
    // A list that is asked for is there also where every item was dropped.
    for (const key of new Set([...listOf(hypKey), ...listOf(refKey), ...written])) {
      const target = join(this.runDir, `${key}.scp`);
      count[key] = concatenateShardFiles(shardDirs, `${key}.scp`, target).lines ?? 0;
      requireUniqueIds(target, count[key]);
      scp[key] = target;
    }
    return { scp, count };
  }

  private static async chooseOutputFn({ outputFn }: CheckedInferenceOptions): Promise<OutputFn | undefined> {
    if (this.outputFn !== undefined) return this.outputFn;
    return outputFn === undefined ? undefined : ((await loadFunction(outputFn)) as OutputFn);
  }
}

// What is known of the models of this process: whether they have taken a batch, or have to be called item by item.
const takesBatches = new WeakSet<object>();
const takesItems = new WeakSet<object>();

/** Not every model takes lists. One that never has is called item by item: only the speed differs. */
async function batchOrSingles(indices: readonly number[], call: ModelCall): Promise<readonly unknown[]> {
  const model = Object(call.model) as object;
  if (takesItems.has(model)) return singles(indices, call);
  try {
    const outputs = await inferBatch(indices, call);
    takesBatches.add(model);
    return outputs;
  } catch (cause) {
    // A model that takes lists could take the parts of a single item for one.
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

async function loadWriters({ outputArtifacts }: CheckedInferenceOptions): Promise<Map<string, NamedFunction>> {
  const writers = new Map<string, NamedFunction>();
  for (const [key, { writer }] of Object.entries(outputArtifacts))
    if (writer !== undefined) writers.set(key, await loadFunction(writer));
  return writers;
}

function requireUniqueIds(path: string, count: number): void {
  const duplicate = findDuplicateId([path], idsOf, count);
  if (duplicate === undefined) return;
  const [first, second] = duplicate.places.map(({ line }) => line);
  throw new MillraceError(
    "MERGE_FAILED",
    `The id ${JSON.stringify(duplicate.id)} stands twice in ${basename(path)}, in lines ${first} and ${second}.`,
    {
      hint: `Each item needs an id of its own: results are found by it. Correct the ids and start over with resume: false; ${path} is there to look at.`,
    },
  );
}

function* idsOf(path: string): Generator<string> {
  for (const { id } of readScp(path)) yield id;
}
