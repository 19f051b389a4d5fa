import type { Dataset } from "../../datasets.ts";
import type { ArrayData, DType, NdArray } from "../../formats.ts";
import type { Awaitable } from "../../index.ts";
import type { FeatureMatrix } from "../../speech.ts";

/**
 * The value of a key of one utterance: an array, features as `fbank` returns them, a vector of numbers, or one number.
 */
export type SequenceValue = NdArray | FeatureMatrix | ArrayData[DType] | number;

/** The value of a key of a batch: one array whose first dimension is the utterance, or one value per utterance. */
export type BatchValue = NdArray | ArrayData[DType] | readonly SequenceValue[];

/** The arrays of a batch by key. `{key}_lengths` contains the lengths without padding. */
export type Batch = Readonly<Record<string, BatchValue>>;

/** One utterance of the dataset: its id and its arrays by key. */
export type UttSample = readonly [uid: string, sample: Readonly<Record<string, SequenceValue>>];

/** Combines utterances to a batch: `[uids, batch]`. */
export type CollateFn<Sample = never> = (
  samples: readonly (readonly [uid: string, sample: Sample])[],
) => Awaitable<readonly [uids: readonly string[], batch: Batch]>;

/** A model that computes the features of a batch. It gets one object with the batch and `collectStatsKwargs`. */
export interface CollectFeatsModel {
  collectFeats(inputs: never): Awaitable<Batch>;
}

/**
 * A dataset by index: one of `millrace/datasets`, whose rows are samples and whose ids are theirs; or an array or object
 * whose items are `[uid, sample]`, or samples, whose ids are their indices.
 */
export type StatsDataset =
  | Dataset<unknown>
  | { readonly length: number; readonly get: (index: number) => Awaitable<unknown> }
  | readonly unknown[];

/** The env of `CollectStatsRunner`. */
export interface CollectStatsEnv {
  readonly dataset: StatsDataset;
  readonly model: CollectFeatsModel;
  /** Default: `commonCollateFn()`, which pads with 0, integers with -1, and adds lengths. */
  readonly collateFn?: CollateFn | undefined;
  /** Whether to write features as npy files. The runner puts it into the provider's params. */
  readonly writeCollectedFeats?: boolean | undefined;
  /** Additional arguments for `collectFeats`; one that the batch has too is an error. */
  readonly collectStatsKwargs?: Readonly<Record<string, unknown>> | undefined;
}
