import { MillraceError } from "../../index.ts";
import { describeValue } from "./describe-value.ts";
import { type CheckedInferenceOptions, listOf } from "./inference-options.ts";

type Item = Readonly<Record<string, unknown>>;

/** The argument of an output function: one item, or lists of several. */
export interface OutputInput {
  readonly data: unknown;
  readonly modelOutput: unknown;
  readonly idx: number | readonly number[];
}

/** Makes the output of an item from the model's result; for batches, a list of outputs. */
export type OutputFn = (input: OutputInput) => unknown;

export interface ModelCall {
  readonly dataset: unknown;
  readonly model: unknown;
  readonly outputFn: OutputFn | undefined;
  readonly options: CheckedInferenceOptions;
}

/** Runs the model on one item. The output is an object with the id and the results. */
export async function inferOne(idx: number, call: ModelCall): Promise<unknown> {
  const data = await readItem(call.dataset, idx);
  const inputs = Object.fromEntries(listOf(call.options.inputKey).map((key) => [key, pick(data, key, idx)]));
  const modelOutput = await callModel(call, inputs);
  if (call.outputFn !== undefined) return call.outputFn({ data, modelOutput, idx });
  return withId(modelOutput, data, call.options.idxKey);
}

/** Runs the model on several items in one call: each key is a list, and so is the output. */
export async function inferBatch(indices: readonly number[], call: ModelCall): Promise<readonly unknown[]> {
  const data: Item[] = [];
  for (const idx of indices) data.push(await readItem(call.dataset, idx));
  const inputs = Object.fromEntries(
    listOf(call.options.inputKey).map((key) => [key, data.map((item, i) => pick(item, key, indices[i]!))]),
  );
  const modelOutput = await callModel(call, inputs);
  const outputs =
    call.outputFn === undefined ? modelOutput : await call.outputFn({ data, modelOutput, idx: [...indices] });
  if (!Array.isArray(outputs) || outputs.length !== indices.length) {
    const who = call.outputFn === undefined ? "The model" : "outputFn";
    throw new MillraceError("BATCH_RESULT", `${who} got ${indices.length} items and gave ${describeValue(outputs)}.`, {
      hint: "With batchSize, it gets a list for each key and returns a list with one output for each item.",
    });
  }
  if (call.outputFn !== undefined) return outputs;
  return outputs.map((output: unknown, i) => withId(output, data[i]!, call.options.idxKey));
}

async function readItem(dataset: unknown, idx: number): Promise<Item> {
  const holder = dataset as { get?: unknown; [idx: number]: unknown } | null | undefined;
  const item: unknown = await (typeof holder?.get === "function" ? holder.get(idx) : holder?.[idx]);
  if (typeof item === "object" && item !== null) return item as Item;
  throw new MillraceError(
    "BAD_RECORD",
    `Item ${idx} of the dataset is ${describeValue(item)}; an object was expected.`,
    {
      hint: "A dataset is an array of objects, or has a get(idx) that returns one.",
    },
  );
}

function pick(item: Item, key: string, idx: number): unknown {
  if (key in item) return item[key];
  throw new MillraceError("BAD_RECORD", `Input key "${key}" is not in item ${idx} of the dataset.`, {
    hint: `It has ${Object.keys(item).join(", ") || "no keys"}. Name those that the model gets with inputKey.`,
  });
}

async function callModel({ model, options: { modelKwargs } }: ModelCall, inputs: object): Promise<unknown> {
  const clash = Object.keys(modelKwargs).find((key) => key in inputs);
  if (clash !== undefined) {
    throw new MillraceError("BAD_OPTION", `"${clash}" is both an inputKey and a key of modelKwargs.`, {
      hint: "Remove it from one of them.",
    });
  }
  const input = { ...inputs, ...modelKwargs };
  if (typeof model === "function") return (model as (input: object) => unknown)(input);
  const { forward } = (model ?? {}) as { forward?: (input: object) => unknown };
  if (typeof forward === "function") return forward.call(model, input);
  throw new MillraceError("BAD_PROVIDER", `The model is ${describeValue(model)}, which cannot be called.`, {
    hint: "Return a function from buildModel, or an object with a method forward: it gets one object with the inputs.",
  });
}

/** Adds the item's id to the output of a model that does not know ids. */
function withId(output: unknown, item: Item, idxKey: string): unknown {
  const isObject = typeof output === "object" && output !== null && !Array.isArray(output);
  return isObject && !(idxKey in output) && idxKey in item ? { [idxKey]: item[idxKey], ...output } : output;
}
