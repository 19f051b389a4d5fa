import { readFileSync } from "node:fs";
import { crc32, crcText } from "../shared/crc32.ts";
import { damagedShard, type ShardFile } from "../store/done.ts";

/** The text of a shard's list, which is small; its bytes must be those that were committed. */
export function readCommitted(path: string, file: ShardFile): string {
  const bytes = readFileSync(path);
  if (crcText(crc32(bytes)) === file.crc32) return bytes.toString("utf8");
  throw damagedShard(`the bytes of ${path} are not those that were committed`);
}
