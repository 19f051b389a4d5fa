import { dirname, join } from "node:path";
import { type DatasetCardOptions, datasetCard } from "../formats/parquet/dataset-card.ts";
import { collectParts, folderOf, pathFrom } from "./collect-parts.ts";
import { openShards } from "./concatenate-shard-files.ts";
import type { MergedCounts } from "./merge-web-dataset.ts";
import { putText } from "./put-text.ts";

/** What is written beside the parts: a card, and where. */
export interface MergeParquetOptions {
  /** Where index and card go. Default: beside the shards' folders. */
  readonly folder?: string;
  /** Also writes the card `README.md` into that folder, so that `load_dataset(folder)` of Hugging Face finds everything. */
  readonly card?: Omit<DatasetCardOptions, "configs">;
  /** The split that the card names. Default: `train`. */
  readonly split?: string;
}

/**
 * Makes one data set of the Parquet files of all shards, which stay where they are: `name.index.json` names them in item
 * order, with their rows, bytes and columns. Paths count from the folder of the index, so the output folder can be moved as
 * a whole.
 */
export function mergeParquet(
  shardDirs: readonly string[],
  name: string,
  { folder, card, split = "train" }: MergeParquetOptions = {},
): MergedCounts {
  const shards = openShards(shardDirs);
  const { parts, rows, bytes, columns = [] } = collectParts(shards, name);
  const place = folderOf(shards, folder, name);
  const index = join(place, `${name}.index.json`);
  const moved = parts.map((part) => ({ ...part, path: pathFrom(dirname(index), part.path) }));
  putText(index, [`${JSON.stringify({ rows, bytes, columns, parts: moved }, null, 1)}\n`]);
  if (card !== undefined) {
    // One by one and no pattern: split.10 would come before split.2.
    const files = parts.map((part) => pathFrom(place, part.path));
    const splits = [{ name: split, files, rows, sizeBytes: bytes }];
    putText(join(place, "README.md"), [datasetCard({ ...card, configs: [{ splits, columns }] })]);
  }
  return { parts: parts.length, rows, bytes };
}
