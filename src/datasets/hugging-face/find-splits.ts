import { matchPattern } from "../folder/match-pattern.ts";
import type { CardConfig } from "./read-card.ts";

/** Data files by their ending, and what is beside them. */
const dataFile = /\.(?:parquet|jsonl|ndjson|csv|tsv)(?:\.gz|\.zst)?$/i;
const mediaFile = /\.(?:wav|flac|mp3|ogg|opus|aiff?|au|caf|w64|sph|m4a|jpe?g|png|webp|gif|bmp|tiff?)$/i;
const metadataFile = /(?:^|\/)metadata\.(?:csv|jsonl|parquet)$/;

/** Whether a file holds samples itself: audio or a picture. */
export function isMedia(name: string): boolean {
  return mediaFile.test(name);
}

/** Whether a file has a row for each media file beside it. */
export function isMetadata(name: string): boolean {
  return metadataFile.test(name);
}

/** Names of splits, with the words that files have for them. */
const splitWords: readonly (readonly [string, readonly string[]])[] = [
  ["train", ["train", "training"]],
  ["validation", ["validation", "valid", "val", "dev"]],
  ["test", ["test", "testing", "eval", "evaluation"]],
];

/** The files of each split: as the card says, otherwise by words in their paths; all are `train` if none has one. */
export function findSplits(names: readonly string[], config: CardConfig | undefined): Map<string, string[]> {
  const usable = names.filter((name) => isUsable(name));
  if (config !== undefined) {
    return new Map(
      [...config.splits].map(([split, patterns]) => [split, patterns.flatMap((pattern) => fitting(usable, pattern))]),
    );
  }
  const splits = new Map<string, string[]>();
  for (const [split, words] of splitWords) {
    const found = usable.filter((name) => words.some((word) => hasWord(name, word)));
    if (found.length > 0) splits.set(split, found);
  }
  return splits.size > 0 ? splits : new Map([["train", usable]]);
}

function isUsable(name: string): boolean {
  const isHidden = name.split("/").some((part) => part.startsWith(".") || part.startsWith("__"));
  return !isHidden && (dataFile.test(name) || isMedia(name));
}

/** In the order of the patterns, and of the names within each: `split.10` after `split.2` where the card lists them so. */
function fitting(names: readonly string[], pattern: string): string[] {
  const plain = pattern.replace(/^\.\//, "");
  if (names.includes(plain)) return [plain];
  const fits = matchPattern(plain.endsWith("/") ? `${plain}**` : plain);
  return names.filter((name) => fits(name) || fits(`${name}/`));
}

/** A word of a path: `data/train-00000-of-00001.parquet`, `test/clip.wav`. */
function hasWord(name: string, word: string): boolean {
  return new RegExp(`(?:^|[^a-z0-9])${word}(?:[^a-z]|$)`, "i").test(name);
}
