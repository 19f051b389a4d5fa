import type { Awaitable } from "../../index.ts";
import type { Audio } from "../../speech.ts";
import type { SpeechAudioOptions } from "../utterances/speech-row.ts";

/** One row of the raw manifest or dataset. */
export interface Utterance {
  /** The id in all outputs, with the speaker as a prefix if requested. */
  readonly id: string;
  /** The id in the manifest. */
  readonly sourceId: string;
  /** The absolute path of its file; of a row whose audio is in none, where it is, for people. */
  readonly path: string;
  readonly text: string;
  /** The id if the manifest names no speaker, as in Kaldi. */
  readonly speaker: string;
  /** Reads its audio. Default: the file `path`. */
  readonly readAudio?: (options: SpeechAudioOptions) => Promise<Audio>;
}

/** The utterances of a corpus by their index: an array, or a dataset. */
export interface Utterances {
  readonly length: number;
  at(index: number): Awaitable<Utterance | undefined>;
}
