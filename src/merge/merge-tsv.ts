import { join } from "node:path";
import { formatTsvHeader } from "../formats/lines/format-tsv.ts";
import type { ShardFile } from "../run-folder/shard/done.ts";
import { folderOf } from "./collect-parts.ts";
import { concatenate, openShards } from "./concatenate-shard-files.ts";

/** Options of {@link mergeTsv}. */
export interface MergeTsvOptions {
  /** Column names for the first line. Default: no header line, as in Kaldi's and ESPnet's manifests. */
  readonly columns?: readonly string[];
  /** Path of the merged file. Default: the same name beside the shards' folders. */
  readonly target?: string;
}

/** Concatenates `name.tsv` of all shards in item order, below a header if columns are named. */
export function mergeTsv(
  shardDirs: readonly string[],
  name: string,
  { columns, target }: MergeTsvOptions = {},
): ShardFile {
  const shards = openShards(shardDirs);
  const fileName = `${name}.tsv`;
  const before = columns === undefined ? undefined : Buffer.from(formatTsvHeader(columns));
  if (target !== undefined) return concatenate(shards, fileName, target, { before });
  const within = folderOf(shards, undefined, fileName);
  return concatenate(shards, fileName, join(within, fileName), { before, within });
}
