import { crc32, crcText } from "../bytes/crc32.ts";
import type { ParquetColumn } from "../formats/parquet/parquet-column.ts";
import { writeFileAtomic } from "../run-folder/files/durable-files.ts";
import { damagedShard, type ShardFile } from "../run-folder/shard/done.ts";
import { checkFileName } from "../run-folder/shard/shard-file-names.ts";

/** A file of a data set that stays in its shard's folder. */
export interface DataPart {
  /** Relative to the folder of its list. */
  readonly path: string;
  /** Rows of a table, samples of an archive. */
  readonly rows: number;
  readonly bytes: number;
  readonly crc32: string;
}

/**
 * The content of a shard's `name.parts.json`, with which an index of all shards can be made without opening their
 * files.
 */
export interface ShardParts {
  readonly parts: readonly DataPart[];
  /** Of a table. */
  readonly columns?: readonly ParquetColumn[];
}

/** The file in a shard's folder that lists the parts of a data set. */
export function partsName(name: string): string {
  return checkFileName(`${name}.parts.json`);
}

/** Writes the list of a shard's parts; returns its description. */
export function writeParts(path: string, name: string, parts: ShardParts): ShardFile {
  const text = `${JSON.stringify(parts)}\n`;
  writeFileAtomic(path, text);
  const bytes = Buffer.from(text);
  return { name: partsName(name), bytes: bytes.length, crc32: crcText(crc32(bytes)) };
}

/** Reads a list of `writeParts`; its bytes are known to be the committed ones. */
export function parseParts(text: string, path: string): ShardParts {
  const found = JSON.parse(text) as Partial<ShardParts>;
  if (Array.isArray(found.parts)) return found as ShardParts;
  throw damagedShard(`${path} is no list of parts`);
}
