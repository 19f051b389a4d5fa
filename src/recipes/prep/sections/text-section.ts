import { type Shape, shape } from "../../../index.ts";
import { maybe } from "../../maybe.ts";

/** How texts are normalised. */
export interface TextSection {
  /** The Unicode normalisation form. Default: `NFC`. */
  readonly unicode?: "NFC" | "NFKC" | "none" | null | undefined;
  /** Default: `keep`. */
  readonly case?: "keep" | "lower" | "upper" | null | undefined;
  /** Replacements, applied one after the other. */
  readonly replace?: Readonly<Record<string, string>> | null | undefined;
  /** Characters to remove, as the content of a character class of a regular expression: `.,!?` */
  readonly remove?: string | null | undefined;
  /** The allowed characters of a kept text, in the same form: `a-z' `. Default: all except control characters. */
  readonly allowed?: string | null | undefined;
}

export const textSection: Shape<TextSection> = shape.object({
  unicode: maybe(shape.oneOf(["NFC", "NFKC", "none"])),
  case: maybe(shape.oneOf(["keep", "lower", "upper"])),
  replace: maybe(shape.map(shape.string())),
  remove: maybe(shape.string()),
  allowed: maybe(shape.string()),
});
