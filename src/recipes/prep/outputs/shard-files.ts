/** The files of a shard, by what they hold. */
export const shardFiles = {
  kept: "kept.jsonl",
  dropped: "dropped.jsonl",
  /** The list of features; archives and arrays stand beside it. */
  feats: "feats",
  /** The list of WAV files; they stand in a folder beside it. */
  wav: "wav",
} as const;
