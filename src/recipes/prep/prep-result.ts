import type { FeatureMatrix } from "../../speech.ts";

/** What is kept of an utterance, as a line of `kept.jsonl` in its shard. */
export interface KeptRecord {
  readonly utt_id: string;
  readonly speaker_id: string;
  readonly text: string;
  /** The audio as the manifest named it. */
  readonly source: string;
  /** Where the kept part stands in it. */
  readonly start: number;
  /** Of the kept part. */
  readonly seconds: number;
  /** Of the file. */
  readonly source_seconds: number;
  /** Of its features; left out where there are none. */
  readonly frames?: number;
  /** The size of its WAV file; left out where none is written. */
  readonly wav_bytes?: number;
}

/** What was dropped and why, as a line of `dropped.jsonl` in its shard. */
export interface DroppedRecord {
  readonly utt_id: string;
  readonly rule: string;
  readonly detail: string;
  readonly source: string;
  readonly text: string;
  /** Of the file, where it was read. */
  readonly source_seconds?: number;
}

/** What `forward` gives for one utterance. */
export type PrepResult =
  | { readonly dropped: DroppedRecord }
  | { readonly kept: KeptRecord; readonly features: FeatureMatrix | undefined; readonly wav: Uint8Array | undefined };
