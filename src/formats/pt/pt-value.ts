import type { NdArray } from "../nd-array.ts";

/**
 * What a .pt file holds: a tensor, or plain values and containers around tensors. A Python dict is a Map, lists and tuples
 * are arrays; an int beyond 2^53 is a bigint.
 */
export type PtValue = NdArray | string | number | bigint | boolean | null | readonly PtValue[] | PtDict;

/** A dict keeps its keys as they are: a number is no text. */
export type PtDict = ReadonlyMap<PtKey, PtValue>;
/** What a dict of PyTorch can have as its key here. */
export type PtKey = string | number | bigint | boolean | null;

/** What can be written: a plain object too, as a dict whose keys are texts. */
export type PtInput =
  | NdArray
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly PtInput[]
  | ReadonlyMap<PtKey, PtInput>
  | { readonly [key: string]: PtInput };
