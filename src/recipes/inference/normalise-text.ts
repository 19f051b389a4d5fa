/** How both texts are normalised before the comparison. Default: not at all. */
export interface TextNormalisation {
  /** Ignores the case of letters. Default `false`. */
  readonly ignoreCase?: boolean;
  /** Removes punctuation (Unicode's category P), except an apostrophe or hyphen inside a word. Default `false`. */
  readonly removePunctuation?: boolean;
  /** A Unicode normalisation form. Default: none, so two encodings of one letter differ. */
  readonly unicode?: "NFC" | "NFD" | "NFKC" | "NFKD";
  /** A custom rewrite, after the others. */
  readonly rewrite?: (text: string) => string;
}

// An apostrophe or hyphen between two letters or digits is part of the word.
const punctuation = /(?!(?<=[\p{L}\p{N}\p{M}])['’-](?=[\p{L}\p{N}]))\p{P}/gu;

/** A text as it is compared. White space at its ends is removed, and white space between words is one space. */
export function normaliseText(text: string, options: TextNormalisation = {}): string {
  let result = options.unicode === undefined ? text : text.normalize(options.unicode);
  if (options.ignoreCase) result = result.toLowerCase();
  if (options.removePunctuation) result = result.replace(punctuation, " ");
  if (options.rewrite !== undefined) result = options.rewrite(result);
  return result.trim().replace(/\s+/gu, " ");
}
