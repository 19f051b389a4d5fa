import type { EqualErrorRate } from "./eer.ts";

/** The result of a split. */
export interface XVectorSummary {
  readonly split: string;
  /** Utterances that have a vector now. */
  readonly written: number;
  readonly failed: number;
  /** Length of a vector; 0 if there is none. */
  readonly dimension: number;
  readonly speakers: number;
  /** Of audio, without failed utterances. */
  readonly seconds: number;
  /** Of all pairs of utterances; undefined if the manifest has fewer than two speakers, or none with two utterances. */
  readonly eer: EqualErrorRate | undefined;
  /** The folder of the vectors, or the file of all of them. */
  readonly vectors: string;
  readonly index: string;
  /** A table of the failures, if there are any. */
  readonly failures: string | undefined;
  readonly report: string | undefined;
}
