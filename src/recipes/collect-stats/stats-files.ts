import { safeFileName } from "../../formats.ts";

/** The keys for which a shard has shapes, features and sums: one per line, with ESPnet3's names. */
export const keyLists = {
  shapes: "shape_keys.txt",
  feats: "feat_keys_written.txt",
  stats: "stats_keys.txt",
} as const;

/** The list `uid shape` of a key. */
export function shapeName(key: string): string {
  return `${safeFileName(key)}_shape`;
}

/** The list `uid path` of a key's features, without its suffix. */
export function featsName(key: string): string {
  return `collect_feats/${safeFileName(key)}`;
}
