/** The files of a shard, by content. */
export const shardFiles = {
  kept: "kept.jsonl",
  dropped: "dropped.jsonl",
  /** The list of features; archives and arrays are beside it. */
  feats: "feats",
  /** The list of WAV files, which are in a folder beside it. */
  wav: "wav",
} as const;
