import { type Dataset, isDataset } from "../../datasets.ts";
import { type ArrayRecord, type NdArray, ndArray, toFloat32 } from "../../formats.ts";
import { MillraceError } from "../../index.ts";
import { addFrames, type FrameSums, frameTotals, makeFrameSums } from "../../speech.ts";
import type { Batch, CollateFn, CollectStatsEnv, StatsDataset } from "./collect-stats-env.ts";
import { commonCollateFn } from "./common-collate.ts";
import { batchCount, isInteger, isNdArray, lengthOf, lengthsSuffix, sequenceOf } from "./sequence.ts";

/** The exact sums of a key over frames of one shape. Plain data, as a shard's state must be. */
export interface SummedKey {
  readonly frameShape: readonly number[];
  readonly sums: FrameSums;
}

/** The statistics of a key in one batch, with ESPnet3's names; `sums` has them exactly, so that batches can be added. */
export interface KeyStats extends SummedKey {
  /** The sum over the frames: the numbers of one frame. */
  readonly sum: Float64Array;
  /** The sum of the squares. */
  readonly sq: Float64Array;
  /** The number of frames. */
  readonly count: number;
}

/** Shapes by utterance, in item order: `[uid, "123,80"]`. */
export type ShapeList = readonly (readonly [uid: string, shape: string])[];

/** The result of one batch: sums and shapes by key, and with `writeCollectedFeats` the features themselves. */
export type BatchStats = readonly [
  stats: Readonly<Record<string, KeyStats>>,
  shapes: Readonly<Record<string, ShapeList>>,
  feats?: Readonly<Record<string, readonly ArrayRecord[]>>,
];

/** Collates the items, lets the model compute their features, and sums them. */
export async function collectStatsBatch(indices: readonly number[], env: CollectStatsEnv): Promise<BatchStats> {
  const { model, collateFn = commonCollateFn(), writeCollectedFeats = false, collectStatsKwargs = {} } = env;
  const samples = await samplesAt(env.dataset, indices);
  const [uids, batch] = checkCollated(await (collateFn as CollateFn<unknown>)(samples), indices.length);
  const inputs = withKwargs(batch, collectStatsKwargs);
  const feats = checkFeats(await model.collectFeats(inputs as never), uids.length);
  const summed: Record<string, SummedKey> = {};
  const shapes: Record<string, ShapeList> = {};
  const kept: Record<string, ArrayRecord[]> = {};
  for (const [key, value] of Object.entries(feats)) {
    const lengths = feats[key + lengthsSuffix];
    const records = uids.map((uid, i) => {
      const length = lengths === undefined ? undefined : lengthOf(lengths, i, key + lengthsSuffix);
      return { id: uid, array: sequenceOf(value, i, length, key) };
    });
    for (const record of records) summed[key] = addSequence(summed[key], key, record);
    shapes[key] = records.map(({ id, array }) => [id, array.shape.join(",")]);
    if (writeCollectedFeats) kept[key] = isLengths(key, feats) ? records.map(asLength) : records;
  }
  for (const [key, list] of tokenShapes(batch, feats, uids)) shapes[key] = list;
  const stats = Object.fromEntries(Object.entries(summed).map(([key, one]) => [key, withTotals(one)]));
  return writeCollectedFeats ? [stats, shapes, kept] : [stats, shapes];
}

/** The rounded totals are computed when they are asked for: the runner adds up the exact sums and needs none. */
function withTotals({ frameShape, sums }: SummedKey): KeyStats {
  return {
    frameShape,
    sums,
    get sum() {
      return frameTotals(sums).sum;
    },
    get sq() {
      return frameTotals(sums).sumSquare;
    },
    get count() {
      return sums.count;
    },
  };
}

function isLengths(key: string, feats: Batch): boolean {
  return key.endsWith(lengthsSuffix) && key.slice(0, -lengthsSuffix.length) in feats;
}

/** A length as NumPy's readers expect it: int64, whatever kind of number the model gave. */
function asLength({ id, array }: ArrayRecord): ArrayRecord {
  return { id, array: ndArray("int64", BigInt64Array.of(BigInt(Number(array.data[0]))), [1]) };
}

async function samplesAt(dataset: StatsDataset, indices: readonly number[]): Promise<[uid: string, sample: unknown][]> {
  if (!isDataset(dataset)) {
    const samples: [string, unknown][] = [];
    for (const index of indices) samples.push(await sampleAt(dataset, index));
    return samples;
  }
  const rows = await dataset.get(indices);
  return Promise.all(
    rows.map(async (row, i): Promise<[string, unknown]> => {
      return isPair(row) && !dataset.hasIds ? row : [await dataset.id(indices[i]!), row];
    }),
  );
}

function isPair(item: unknown): item is [uid: string, sample: unknown] {
  return Array.isArray(item) && item.length === 2 && typeof item[0] === "string";
}

async function sampleAt(
  dataset: Exclude<StatsDataset, Dataset<unknown>>,
  index: number,
): Promise<[uid: string, sample: unknown]> {
  const item: unknown = "get" in dataset ? await dataset.get(index) : await dataset[index];
  if (item === undefined || item === null) {
    throw new MillraceError("BAD_RECORD", `The dataset has no item ${index}.`, {
      hint: "A dataset is an array, or an object with length and get(index).",
    });
  }
  return isPair(item) ? item : [String(index), item];
}

function checkCollated(collated: unknown, count: number): readonly [uids: readonly string[], batch: Batch] {
  const [uids, batch] = Array.isArray(collated) && collated.length === 2 ? (collated as [unknown, unknown]) : [];
  if (!Array.isArray(uids) || typeof batch !== "object" || batch === null || Array.isArray(batch)) {
    throw new MillraceError("BAD_RECORD", "collectStats expects the collate function to return [uids, batch].", {
      hint: "uids is an array of ids, batch an object with the arrays by key.",
    });
  }
  if (uids.length !== count) {
    throw new MillraceError(
      "BAD_RECORD",
      `The collate function got ${count} samples and returned ${uids.length} ids.`,
      { hint: "Return one id for each sample, in their order." },
    );
  }
  for (const uid of uids) requireOneWord(uid);
  return [uids as string[], batch as Batch];
}

/** Refuses an id or key that would be another one when the list `id path` is read again. */
function requireOneWord(id: unknown): void {
  // Blanks and control characters end a word or a line; half a surrogate pair has no UTF-8.
  if (typeof id === "string" && id !== "" && !/[\s\p{Cc}\p{Surrogate}]/u.test(id)) return;
  throw new MillraceError("BAD_RECORD", `${JSON.stringify(id)} cannot be an id in a list of "id path" lines.`, {
    hint: "Give every record an id without blanks and control characters; other characters are kept as they are.",
  });
}

function withKwargs(batch: Batch, kwargs: Readonly<Record<string, unknown>>): object {
  const conflicts = Object.keys(kwargs).filter((key) => key in batch);
  if (conflicts.length === 0) return { ...batch, ...kwargs };
  throw new MillraceError(
    "BAD_OPTION",
    `collectStatsKwargs conflict with keys of the batch: ${conflicts.join(", ")}.`,
    {
      hint: "Rename them: the model would get one value or the other.",
    },
  );
}

function checkFeats(feats: Batch, count: number): Batch {
  if (typeof feats !== "object" || feats === null || Array.isArray(feats)) {
    throw new MillraceError("BAD_RECORD", "collectFeats must return an object with arrays by key.", {
      hint: "Return { feats, feats_lengths } or the like.",
    });
  }
  for (const [key, value] of Object.entries(feats)) {
    requireOneWord(key);
    const isBatch = isNdArray(value) || Array.isArray(value) || ArrayBuffer.isView(value);
    const found = isBatch ? batchCount(value) : "no";
    if (found === count) continue;
    throw new MillraceError("BAD_RECORD", `${key} of collectFeats has ${found} entries for ${count} utterances.`, {
      hint: "The first dimension of every array is the utterance.",
    });
  }
  return feats;
}

function addSequence(before: SummedKey | undefined, key: string, { id, array }: ArrayRecord): SummedKey {
  const [rows = 1, ...frameShape] = array.shape;
  const columns = frameShape.reduce((product, dimension) => product * dimension, 1);
  const stats = before ?? { frameShape, sums: makeFrameSums(columns) };
  requireSameFrame(key, stats.frameShape, frameShape, id);
  const numbers = numbersOf(array, key);
  try {
    addFrames(stats.sums, numbers, rows);
  } catch (cause) {
    const at = numbers.findIndex((value) => !Number.isFinite(value));
    const where = at < 0 ? "" : `: frame ${Math.floor(at / columns)}, column ${at % columns} is ${numbers[at]}`;
    throw new MillraceError("BAD_RECORD", `${key} of ${id} cannot be summed up${where}.`, {
      cause,
      hint: 'One such value makes the statistics of the whole corpus useless. Correct the features, or pass onError: "skip".',
    });
  }
  return stats;
}

/** Refuses frames of another shape: their sums would be meaningless. */
export function requireSameFrame(
  key: string,
  expected: readonly number[],
  found: readonly number[],
  where: string,
): void {
  if (expected.length === found.length && expected.every((dimension, i) => dimension === found[i])) return;
  throw new MillraceError(
    "BAD_RECORD",
    `A frame of ${key} has the shape [${found.join(", ")}] in ${where}, and [${expected.join(", ")}] before.`,
    { hint: `Where the first dimension is time, collectFeats must return ${key}${lengthsSuffix} too.` },
  );
}

function numbersOf(array: NdArray, key: string): Float32Array | Float64Array {
  switch (array.dtype) {
    case "float32":
    case "float64":
      return array.data;
    case "float16":
    case "bfloat16":
      return toFloat32(array);
    case "int64":
    case "uint64":
      return Float64Array.from(array.data, (value) => exactNumber(value, key));
    case "complex64":
    case "complex128":
      throw new MillraceError("BAD_RECORD", `${key} is ${array.dtype}; sums of complex numbers are not collected.`, {
        hint: "Return its magnitude or power instead, or leave the key out.",
      });
    default:
      return Float64Array.from(array.data);
  }
}

function exactNumber(value: bigint, key: string): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new MillraceError("BAD_RECORD", `${key} holds ${value}, which the sums would round.`, {
    hint: "Whole numbers up to 2^53 are summed up exactly: scale the feature down, or leave the key out.",
  });
}

/** Tokens in the batch: only their lengths are collected, for batches by length. */
function* tokenShapes(batch: Batch, feats: Batch, uids: readonly string[]): Generator<[string, ShapeList]> {
  for (const [key, value] of Object.entries(batch)) {
    if (key.endsWith(lengthsSuffix) || key in feats || !isInteger(value)) continue;
    const lengths = batch[key + lengthsSuffix];
    // One number per utterance, such as a speaker, is not a sequence of tokens.
    const hasTime = !isNdArray(value) ? Array.isArray(value) : value.shape.length >= 2;
    if (lengths === undefined && !hasTime) continue;
    requireOneWord(key);
    yield [
      key,
      uids.map((uid, i) => {
        if (lengths !== undefined) return [uid, String(lengthOf(lengths, i, key + lengthsSuffix))];
        const length = isNdArray(value) ? value.shape[1] : sequenceOf(value, i, undefined, key).shape.at(-1);
        return [uid, String(length)];
      }),
    ];
  }
}
