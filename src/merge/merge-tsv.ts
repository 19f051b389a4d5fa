import { join } from "node:path";
import { formatTsvHeader } from "../formats/lines/format-tsv.ts";
import type { ShardFile } from "../store/done.ts";
import { folderOf } from "./collect-parts.ts";
import { concatenate, openShards } from "./concatenate-shard-files.ts";

/** Where the merged table goes, and its header. */
export interface MergeTsvOptions {
  /** Names the columns in the first line. Default: no such line, as in Kaldi's and ESPnet's manifests. */
  readonly columns?: readonly string[];
  /** Where the merged file goes. Default: under the same name beside the shards' folders. */
  readonly target?: string;
}

/** Puts the manifests of all shards one behind the other, in item order, below one header where columns are named. */
export function mergeTsv(
  shardDirs: readonly string[],
  name: string,
  { columns, target }: MergeTsvOptions = {},
): ShardFile {
  const shards = openShards(shardDirs);
  const path = target ?? join(folderOf(shards, undefined, name), name);
  return concatenate(shards, name, path, columns === undefined ? undefined : Buffer.from(formatTsvHeader(columns)));
}
