import type { ScpEntry } from "../../../formats.ts";
import type { KeptRecord } from "../prep-result.ts";

/** An utterance that is kept, and where its files are. */
export interface CorpusEntry extends KeptRecord {
  /** Its audio: what was written, or the file of the manifest. A whole path. */
  readonly audio: string;
  /** Whether that is what is left after trimming, so that it needs no segment. */
  readonly isWritten: boolean;
  /** Its features, with a whole path. */
  readonly feats: ScpEntry | undefined;
}
