import { type Shape, shape } from "../../../index.ts";
import { maybe } from "../../maybe.ts";

/** How texts are written alike. */
export interface TextSection {
  /** The form of Unicode. Default: `NFC`. */
  readonly unicode?: "NFC" | "NFKC" | "none" | null | undefined;
  /** Default: `keep`. */
  readonly case?: "keep" | "lower" | "upper" | null | undefined;
  /** What is put in place of what, one after the other. */
  readonly replace?: Readonly<Record<string, string>> | null | undefined;
  /** Characters that are taken out, as they stand between the brackets of a regular expression: `.,!?` */
  readonly remove?: string | null | undefined;
  /** Characters that a kept text is made of, written likewise: `a-z' `. Default: all but control characters. */
  readonly allowed?: string | null | undefined;
}

export const textSection: Shape<TextSection> = shape.object({
  unicode: maybe(shape.oneOf(["NFC", "NFKC", "none"])),
  case: maybe(shape.oneOf(["keep", "lower", "upper"])),
  replace: maybe(shape.map(shape.string())),
  remove: maybe(shape.string()),
  allowed: maybe(shape.string()),
});
