import type { EqualErrorRate } from "./eer.ts";

/** What became of a split. */
export interface XVectorSummary {
  readonly split: string;
  /** Utterances that have a vector now. */
  readonly written: number;
  readonly failed: number;
  /** Length of a vector; 0 where there is none. */
  readonly dimension: number;
  readonly speakers: number;
  /** Of audio, that of failed utterances not counted. */
  readonly seconds: number;
  /** Of all pairs of utterances; undefined where the manifest names less than two speakers, or none twice. */
  readonly eer: EqualErrorRate | undefined;
  /** The folder of the vectors, or the file of all of them. */
  readonly vectors: string;
  readonly index: string;
  /** A table of what failed, where anything did. */
  readonly failures: string | undefined;
  readonly report: string | undefined;
}
