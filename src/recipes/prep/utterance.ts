/** One row of the raw manifest, with an absolute path. */
export interface Utterance {
  /** The id in all outputs, with the speaker as a prefix if requested. */
  readonly id: string;
  /** The id in the manifest. */
  readonly sourceId: string;
  readonly path: string;
  readonly text: string;
  /** The id if the manifest names no speaker, as in Kaldi. */
  readonly speaker: string;
}
