/** One row of the raw manifest, with its path made whole. */
export interface Utterance {
  /** As it is called in all outputs, so with the speaker before it where that is asked for. */
  readonly id: string;
  /** As the manifest calls it. */
  readonly sourceId: string;
  readonly path: string;
  readonly text: string;
  /** The id where the manifest names no speaker, as Kaldi does it. */
  readonly speaker: string;
}
