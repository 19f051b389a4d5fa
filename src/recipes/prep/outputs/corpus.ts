import type { ScpEntry } from "../../../formats.ts";
import type { KeptRecord } from "../prep-result.ts";

/** A kept utterance, and the paths of its files. */
export interface CorpusEntry extends KeptRecord {
  /** The absolute path of its audio: the written file, or the file of the manifest. */
  readonly audio: string;
  /** True if that file is the trimmed audio, so that it needs no segment. */
  readonly isWritten: boolean;
  /** The absolute path of its features. */
  readonly feats: ScpEntry | undefined;
}
