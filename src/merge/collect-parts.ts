import { dirname, join, relative } from "node:path";
import { MillraceError } from "../errors/errors.ts";
import type { ParquetColumn } from "../formats/parquet/parquet-column.ts";
import { type DataPart, parseParts, partsName } from "../writers/shard-parts.ts";
import { type CommittedShard, filesOf } from "./concatenate-shard-files.ts";
import { readCommitted } from "./read-committed.ts";

export interface CollectedParts {
  /** In item order, with absolute paths. */
  readonly parts: readonly DataPart[];
  readonly rows: number;
  readonly bytes: number;
  readonly columns?: readonly ParquetColumn[];
}

/** Collects the parts of a data set from the lists of all shards, in item order. */
export function collectParts(shards: readonly CommittedShard[], name: string): CollectedParts {
  const listName = partsName(name);
  const lists = filesOf(shards, listName).map(({ dir, file }) => {
    const path = join(dir, listName);
    return { folder: dirname(path), ...parseParts(readCommitted(path, file), path) };
  });
  const [first] = lists;
  if (first === undefined) throw noParts(listName);
  const parts = lists.flatMap(({ folder, parts: listed }) =>
    listed.map((part) => ({ ...part, path: join(folder, part.path) })),
  );
  const sum = (key: "rows" | "bytes"): number => parts.reduce((total, part) => total + part[key], 0);
  const { columns } = first;
  return { parts, rows: sum("rows"), bytes: sum("bytes"), ...(columns !== undefined && { columns }) };
}

/** A path relative to `folder`, so that an index and its shards can be moved together. */
export function pathFrom(folder: string, path: string): string {
  return relative(folder, path).replaceAll("\\", "/");
}

/** The default folder for merged files: the parent of the shards' folders. */
export function folderOf(shards: readonly CommittedShard[], folder: string | undefined, name: string): string {
  if (folder !== undefined) return folder;
  const [first] = shards;
  if (first !== undefined) return dirname(first.dir);
  throw new MillraceError("BAD_OPTION", `There are no shards to merge ${name} from, and no folder is given.`, {
    hint: "Name the folder for the merged files, or merge only if there are shards.",
  });
}

function noParts(listName: string): MillraceError {
  return new MillraceError("MERGE_FAILED", `No shard has a file ${listName}.`, {
    hint: "Pass the same name as to the writer. A shard whose items were all dropped has no file.",
  });
}
