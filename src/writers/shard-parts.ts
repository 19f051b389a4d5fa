import type { ParquetColumn } from "../formats/parquet/parquet-column.ts";
import { crc32, crcText } from "../shared/crc32.ts";
import { damagedShard, type ShardFile } from "../store/done.ts";
import { replaceFileQuickly } from "../store/durable-files.ts";
import { checkFileName } from "../store/shard-file-names.ts";

/** A file of a data set that stays where its shard put it. */
export interface DataPart {
  /** Relative to the folder of the list it stands in. */
  readonly path: string;
  /** Rows of a table, samples of an archive. */
  readonly rows: number;
  readonly bytes: number;
  readonly crc32: string;
}

/** What `name.parts.json` of a shard says, so that an index of all shards can be made without opening their files. */
export interface ShardParts {
  readonly parts: readonly DataPart[];
  /** Of a table. */
  readonly columns?: readonly ParquetColumn[];
}

/** The file in a shard's folder that lists the parts of a data set. */
export function partsName(name: string): string {
  return checkFileName(`${name}.parts.json`);
}

/** Writes the list of a shard's parts; says what became of it. */
export function writeParts(path: string, name: string, parts: ShardParts): ShardFile {
  const text = `${JSON.stringify(parts)}\n`;
  replaceFileQuickly(path, text);
  const bytes = Buffer.from(text);
  return { name: partsName(name), bytes: bytes.length, crc32: crcText(crc32(bytes)) };
}

/** Reads a list that `writeParts` wrote; its bytes are known to be those that were committed. */
export function parseParts(text: string, path: string): ShardParts {
  const found = JSON.parse(text) as Partial<ShardParts>;
  if (Array.isArray(found.parts)) return found as ShardParts;
  throw damagedShard(`${path} is no list of parts`);
}
