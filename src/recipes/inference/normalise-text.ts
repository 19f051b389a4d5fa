/** What is done to both texts before they are compared. Nothing, unless it is asked for. */
export interface TextNormalisation {
  /** Capital letters count as small ones. Default `false`. */
  readonly ignoreCase?: boolean;
  /** Punctuation is removed (Unicode's category P), but for an apostrophe or hyphen inside a word. Default `false`. */
  readonly removePunctuation?: boolean;
  /** A Unicode normalisation form. Default: none, so that two spellings of one letter differ. */
  readonly unicode?: "NFC" | "NFD" | "NFKC" | "NFKD";
  /** Anything else, after the others. */
  readonly rewrite?: (text: string) => string;
}

// An apostrophe or hyphen between two letters or digits is a part of the word.
const punctuation = /(?!(?<=[\p{L}\p{N}\p{M}])['’-](?=[\p{L}\p{N}]))\p{P}/gu;

/** A text as it is compared. White space at its ends goes, and any between words counts as one space. */
export function normaliseText(text: string, options: TextNormalisation = {}): string {
  let result = options.unicode === undefined ? text : text.normalize(options.unicode);
  if (options.ignoreCase) result = result.toLowerCase();
  if (options.removePunctuation) result = result.replace(punctuation, " ");
  if (options.rewrite !== undefined) result = options.rewrite(result);
  return result.trim().replace(/\s+/gu, " ");
}
