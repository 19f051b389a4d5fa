import { dirname, join } from "node:path";
import { MillraceError } from "../errors/errors.ts";
import type { ParquetRow } from "../formats/parquet/check-row.ts";
import { type DatasetCardOptions, datasetCard } from "../formats/parquet/dataset-card.ts";
import { readParquetFile, writeParquetFile } from "../formats/parquet/parquet-file.ts";
import { collectParts, folderOf, pathFrom } from "./collect-parts.ts";
import { openShards } from "./concatenate-shard-files.ts";
import type { MergedCounts } from "./merge-web-dataset.ts";
import { writeMergedText } from "./write-merged-file.ts";

/** Options of {@link mergeParquet}. */
export interface MergeParquetOptions {
  /** The folder for index and card. Default: beside the shards' folders. */
  readonly folder?: string;
  /**
   * Also writes the card `README.md` into that folder, so that Hugging Face's `load_dataset(folder)` finds everything.
   */
  readonly card?: Omit<DatasetCardOptions, "configs">;
  /** The split that the card names. Default: `train`. */
  readonly split?: string;
  /**
   * Writes all rows into one file, `name.parquet`, instead of an index of the shards' files. All rows are read and
   * written again, with one row group in memory at a time. Default: false.
   */
  readonly single?: boolean;
}

/**
 * Makes one data set of the Parquet files of all shards without moving them: `name.index.json` lists them in item
 * order, with their rows, bytes and columns. Paths are relative to the folder of the index, so the output folder can be
 * moved as a whole.
 */
export function mergeParquet(
  shardDirs: readonly string[],
  name: string,
  options: MergeParquetOptions & { readonly single: true },
): Promise<MergedCounts>;
export function mergeParquet(
  shardDirs: readonly string[],
  name: string,
  options?: MergeParquetOptions & { readonly single?: false },
): MergedCounts;
export function mergeParquet(
  shardDirs: readonly string[],
  name: string,
  options: MergeParquetOptions = {},
): MergedCounts | Promise<MergedCounts> {
  if (options.single === true) return mergeIntoOne(shardDirs, name, options);
  const { folder, card, split = "train" } = options;
  const shards = openShards(shardDirs);
  const { parts, rows, bytes, columns = [] } = collectParts(shards, name);
  const place = folderOf(shards, folder, name);
  const index = join(place, `${name}.index.json`);
  const moved = parts.map((part) => ({ ...part, path: pathFrom(dirname(index), part.path) }));
  writeMergedText(index, [`${JSON.stringify({ rows, bytes, columns, parts: moved }, null, 1)}\n`], place);
  if (card !== undefined) {
    // Listed one by one, not as a glob pattern: split.10 would come before split.2.
    const files = parts.map((part) => pathFrom(place, part.path));
    const splits = [{ name: split, files, rows, sizeBytes: bytes }];
    writeMergedText(join(place, "README.md"), [datasetCard({ ...card, configs: [{ splits, columns }] })], place);
  }
  return { parts: parts.length, rows, bytes };
}

async function mergeIntoOne(
  shardDirs: readonly string[],
  name: string,
  { folder, card, split = "train" }: MergeParquetOptions,
): Promise<MergedCounts> {
  const shards = openShards(shardDirs);
  const { parts, rows: expected, columns = [] } = collectParts(shards, name);
  const place = folderOf(shards, folder, name);
  const path = join(place, `${name}.parquet`);
  const { rows, sizeBytes } = await writeParquetFile(path, rowsOf(parts), { columns });
  if (rows !== expected) {
    throw new MillraceError("MERGE_FAILED", `${path} has ${rows} rows, and the shards should have ${expected}.`, {
      hint: "A file of a shard was changed after the commit: millrace verify finds it.",
    });
  }
  if (card !== undefined) {
    const splits = [{ name: split, files: `${name}.parquet`, rows, sizeBytes }];
    writeMergedText(join(place, "README.md"), [datasetCard({ ...card, configs: [{ splits, columns }] })], place);
  }
  return { parts: 1, rows, bytes: sizeBytes };
}

async function* rowsOf(parts: readonly { readonly path: string }[]): AsyncGenerator<ParquetRow> {
  for (const { path } of parts) yield* readParquetFile<ParquetRow>(path);
}
