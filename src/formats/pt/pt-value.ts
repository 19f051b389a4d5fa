import type { NdArray } from "../nd-array.ts";

/**
 * The content of a .pt file: a tensor, or plain values and containers with tensors. A Python dict is a Map, lists and
 * tuples are arrays; an int beyond 2^53 is a bigint.
 */
export type PtValue = NdArray | string | number | bigint | boolean | null | readonly PtValue[] | PtDict;

/** A dict keeps its keys: a number does not become a string. */
export type PtDict = ReadonlyMap<PtKey, PtValue>;
/** The valid keys of a dict. */
export type PtKey = string | number | bigint | boolean | null;

/** What can be written: also a plain object, as a dict with string keys. */
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
