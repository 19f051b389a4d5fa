import { crc32, crcText } from "../bytes/crc32.ts";
import { readBytesIfPresent } from "../run-folder/files/durable-files.ts";
import { damagedShard, type ShardFile } from "../run-folder/shard/done.ts";

/** Reads a small list of a shard. Its bytes must match the committed digest. */
export function readCommitted(path: string, file: ShardFile): string {
  const bytes = readBytesIfPresent(path);
  if (bytes === undefined) throw damagedShard(`${path} is not there`);
  if (crcText(crc32(bytes)) === file.crc32) return bytes.toString("utf8");
  throw damagedShard(`the bytes of ${path} are not those that were committed`);
}
