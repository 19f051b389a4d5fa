import { isDataset } from "../../datasets.ts";
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
  const [data] = (await readItems(call.dataset, [idx])) as [Item];
  const inputs = Object.fromEntries(listOf(call.options.inputKey).map((key) => [key, pick(data, key, idx)]));
  const modelOutput = await callModel(call, inputs);
  if (call.outputFn !== undefined) return call.outputFn({ data, modelOutput, idx });
  return withId(modelOutput, data, { call, idx });
}

/** Runs the model on several items in one call: each key is a list, and so is the output. */
export async function inferBatch(indices: readonly number[], call: ModelCall): Promise<readonly unknown[]> {
  const data = await readItems(call.dataset, indices);
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
  return Promise.all(outputs.map((output: unknown, i) => withId(output, data[i]!, { call, idx: indices[i]! })));
}

async function readItems(dataset: unknown, indices: readonly number[]): Promise<Item[]> {
  const items: unknown[] = [];
  if (isDataset(dataset)) items.push(...(await dataset.get(indices)));
  else for (const idx of indices) items.push(await readItem(dataset, idx));
  return items.map((item, i) => {
    if (typeof item === "object" && item !== null) return item as Item;
    throw new MillraceError(
      "BAD_RECORD",
      `Item ${indices[i]} of the dataset is ${describeValue(item)}; an object was expected.`,
      { hint: "A dataset is one of millrace/datasets, an array of objects, or has a get(idx) that returns one." },
    );
  });
}

async function readItem(dataset: unknown, idx: number): Promise<unknown> {
  const holder = dataset as { get?: unknown; [idx: number]: unknown } | null | undefined;
  return typeof holder?.get === "function" ? holder.get(idx) : holder?.[idx];
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

/** Adds the id of the item, or of its row in the dataset, to the output of a model that does not know ids. */
async function withId(
  output: unknown,
  item: Item,
  { call, idx }: { readonly call: ModelCall; readonly idx: number },
): Promise<unknown> {
  const { idxKey } = call.options;
  if (typeof output !== "object" || output === null || Array.isArray(output) || idxKey in output) return output;
  if (idxKey in item) return { [idxKey]: item[idxKey], ...output };
  const { dataset } = call;
  return isDataset(dataset) && dataset.hasIds ? { [idxKey]: await dataset.id(idx), ...output } : output;
}
