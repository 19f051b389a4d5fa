import { type Shape, shape } from "../../../index.ts";
import { maybe } from "../../maybe.ts";

/** How the Kaldi data folder is written. */
export interface KaldiSection {
  /** Puts `speaker-` before every utterance id: always, never, or if Kaldi's order requires it (`auto`, default). */
  readonly speaker_prefix?: boolean | "auto" | null | undefined;
  /**
   * Replacement for blanks in ids of utterances and speakers, which Kaldi does not allow. Default: such ids are
   * refused.
   */
  readonly blanks?: string | null | undefined;
  /**
   * Absolute paths (default), as Kaldi's programs need them, or paths relative to the data folder, which can then be
   * moved.
   */
  readonly paths?: "absolute" | "relative" | null | undefined;
}

export const kaldiSection: Shape<KaldiSection> = shape.object({
  speaker_prefix: maybe(shape.union(shape.boolean(), shape.oneOf(["auto"]))),
  blanks: maybe(shape.string({ pattern: /^[^\s\p{Cc}]*$/u, expected: "a text without blanks" })),
  paths: maybe(shape.oneOf(["absolute", "relative"])),
});
