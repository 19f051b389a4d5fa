/** What is kept of an utterance beside its vector: a line of a shard. */
export interface XVectorRecord {
  readonly utt_id: string;
  /** Empty where the manifest names none. */
  readonly speaker_id: string;
  readonly seconds: number;
  /** The share of samples at full scale, where there are any. */
  readonly clipped?: number;
  readonly warnings?: readonly string[];
}

/** What `XVectorRunner.forward` gives for one utterance. */
export interface XVectorResult {
  readonly record: XVectorRecord;
  readonly vector: Float32Array;
}
