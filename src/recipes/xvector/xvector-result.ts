/** The record of an utterance besides its vector: a line of a shard. */
export interface XVectorRecord {
  readonly utt_id: string;
  /** Empty if the manifest names none. */
  readonly speaker_id: string;
  readonly seconds: number;
  /** The fraction of samples at full scale, if there are any. */
  readonly clipped?: number;
  readonly warnings?: readonly string[];
}

/** The result of `XVectorRunner.forward` for one utterance. */
export interface XVectorResult {
  readonly record: XVectorRecord;
  readonly vector: Float32Array;
}
