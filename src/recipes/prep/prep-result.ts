import type { FeatureMatrix } from "../../speech.ts";

/** A kept utterance: a line of `kept.jsonl` in its shard. */
export interface KeptRecord {
  readonly utt_id: string;
  readonly speaker_id: string;
  readonly text: string;
  /** The path of the audio in the manifest. */
  readonly source: string;
  /** The position of the kept part in it. */
  readonly start: number;
  /** Of the kept part. */
  readonly seconds: number;
  /** Of the file. */
  readonly source_seconds: number;
  /** Number of feature frames; absent without features. */
  readonly frames?: number;
  /** The size of its WAV file; absent if none is written. */
  readonly wav_bytes?: number;
}

/** A dropped utterance and the reason: a line of `dropped.jsonl` in its shard. */
export interface DroppedRecord {
  readonly utt_id: string;
  readonly rule: string;
  readonly detail: string;
  readonly source: string;
  readonly text: string;
  /** Of the file, if it was read. */
  readonly source_seconds?: number;
}

/** The result of `forward` for one utterance. */
export type PrepResult =
  | { readonly dropped: DroppedRecord }
  | { readonly kept: KeptRecord; readonly features: FeatureMatrix | undefined; readonly wav: Uint8Array | undefined };
