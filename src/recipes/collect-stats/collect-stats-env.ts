import type { ArrayData, DType, NdArray } from "../../formats.ts";
import type { Awaitable } from "../../index.ts";
import type { FeatureMatrix } from "../../speech.ts";

/** What one utterance has under a key: an array, features as `fbank` gives them, a vector of numbers, or one number. */
export type SequenceValue = NdArray | FeatureMatrix | ArrayData[DType] | number;

/** What a batch has under a key: one array whose first dimension is the utterance, or one value for each utterance. */
export type BatchValue = NdArray | ArrayData[DType] | readonly SequenceValue[];

/** The arrays of a batch by key. `{key}_lengths` says how much of each utterance is not padding. */
export type Batch = Readonly<Record<string, BatchValue>>;

/** One utterance of the dataset: its id and its arrays by key. */
export type UttSample = readonly [uid: string, sample: Readonly<Record<string, SequenceValue>>];

/** Puts utterances together: `[uids, batch]`. */
export type CollateFn<Sample = never> = (
  samples: readonly (readonly [uid: string, sample: Sample])[],
) => Awaitable<readonly [uids: readonly string[], batch: Batch]>;

/** A model that gives the features of a batch. Arguments come by name in one object: the batch and `collectStatsKwargs`. */
export interface CollectFeatsModel {
  collectFeats(inputs: never): Awaitable<Batch>;
}

/** A dataset by index. Its items are `[uid, sample]`, or samples, whose ids are then their indices. */
export type StatsDataset =
  | { readonly length: number; readonly get: (index: number) => Awaitable<unknown> }
  | readonly unknown[];

/** What `CollectStatsRunner` needs from its provider. */
export interface CollectStatsEnv {
  readonly dataset: StatsDataset;
  readonly model: CollectFeatsModel;
  /** Default: `commonCollateFn()`, which pads with 0, integers with -1, and adds lengths. */
  readonly collateFn?: CollateFn | undefined;
  /** Whether features are kept as npy files. The runner puts it into the provider's params. */
  readonly writeCollectedFeats?: boolean | undefined;
  /** Further arguments for `collectFeats`; one that the batch has too is an error. */
  readonly collectStatsKwargs?: Readonly<Record<string, unknown>> | undefined;
}
