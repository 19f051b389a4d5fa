import { type ArrayData, type DType, type NdArray, ndArray } from "../../formats.ts";
import { MillraceError } from "../../index.ts";
import type { Batch, CollateFn, SequenceValue, UttSample } from "./collect-stats-env.ts";
import { lengthsSuffix, toArray } from "./sequence.ts";

/** Padding values, and the keys that are not sequences. */
export interface CommonCollateOptions {
  /** Padding of float arrays. Default 0. */
  readonly floatPadValue?: number;
  /** Padding of integer arrays. Default -1, which is not a token. */
  readonly intPadValue?: number;
  /** Keys that are not sequences: they get no lengths. */
  readonly notSequence?: readonly string[];
}

/**
 * ESPnet's usual collate function: for each key one array as long as the longest utterance, the others padded, and
 * `{key}_lengths` with their lengths.
 */
export function commonCollateFn({
  floatPadValue = 0,
  intPadValue = -1,
  notSequence = [],
}: CommonCollateOptions = {}): CollateFn<Readonly<Record<string, SequenceValue>>> {
  return (samples) => {
    const batch: Record<string, Batch[string]> = {};
    for (const key of Object.keys(samples[0]?.[1] ?? {})) {
      const arrays = samples.map((sample) => arrayOf(sample, key));
      const isFloat = /float|complex/.test(arrays[0]!.dtype);
      batch[key] = pad(arrays, isFloat ? floatPadValue : intPadValue, key);
      if (notSequence.includes(key)) continue;
      batch[key + lengthsSuffix] = ndArray(
        "int32",
        Int32Array.from(arrays, ({ shape }) => shape[0] ?? 1),
      );
    }
    return [samples.map(([uid]) => uid), batch];
  };
}

function arrayOf([uid, sample]: UttSample, key: string): NdArray {
  if (sample !== null && typeof sample === "object" && key in sample) {
    const array = toArray(sample[key]!, key);
    return array.shape.length === 0 ? ({ ...array, shape: [1] } as NdArray) : array;
  }
  throw new MillraceError("BAD_RECORD", `The utterance ${uid} has no ${key}, which others of its batch have.`, {
    hint: "Every sample of a dataset has the same keys.",
  });
}

/** One array for all, as long as the longest. */
function pad(arrays: readonly NdArray[], padValue: number, key: string): NdArray {
  const [first] = arrays as readonly [NdArray, ...NdArray[]];
  const frame = first.shape.slice(1);
  const differs = arrays.find(({ dtype, shape }) => dtype !== first.dtype || shape.slice(1).join() !== frame.join());
  if (differs !== undefined) {
    throw new MillraceError(
      "BAD_RECORD",
      `${key} is ${first.dtype} [${first.shape.join(", ")}] in one utterance and ${differs.dtype} [${differs.shape.join(", ")}] in another.`,
      { hint: "Utterances of a batch may differ in their first dimension only." },
    );
  }
  const longest = Math.max(...arrays.map(({ shape }) => shape[0]!));
  const numbers = first.dtype.startsWith("complex") ? 2 : 1;
  const step = frame.reduce((product, dimension) => product * dimension, longest * numbers);
  const makeArray = first.data.constructor as new (length: number) => ArrayData[DType];
  const data = new makeArray(step * arrays.length) as Float32Array;
  // 64-bit integers are bigints.
  data.fill((data instanceof BigInt64Array || data instanceof BigUint64Array ? BigInt(padValue) : padValue) as number);
  for (const [i, array] of arrays.entries()) data.set(array.data as Float32Array, i * step);
  return { dtype: first.dtype, shape: [arrays.length, longest, ...frame], data } as NdArray;
}
