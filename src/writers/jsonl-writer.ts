import { pieceCompressor } from "../formats/lines/compression.ts";
import { MillraceError, messageOf } from "../shared/errors.ts";
import { describeKind } from "../shared/state-json.ts";
import { checkFileName, recordsName } from "../store/shard-file-names.ts";
import { LineWriter } from "./line-writer.ts";
import { putJsonLine } from "./put-json-line.ts";

/**
 * One JSON text a line, compressed where the name says so (`.jsonl.gz`, `.jsonl.zst`). With checkpoints; merged by putting
 * the shards' files one after the other, which is right for compressed ones too.
 */
export function jsonlWriter<Record = unknown>(shardDir: string, name: string = recordsName): LineWriter<Record> {
  return new LineWriter(shardDir, checkFileName(name), encodeRecord, {
    compress: pieceCompressor(name),
    putLine: putJsonLine,
  });
}

/** A record as JSON; one that has no JSON form is refused before anything is written. */
export function encodeRecord(record: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(record);
  } catch (error) {
    throw notJson(messageOf(error).split("\n", 1)[0]!, error);
  }
  if (text === undefined) throw notJson(`it is ${describeKind(record)}`);
  return text;
}

function notJson(why: string, cause?: unknown): MillraceError {
  return new MillraceError("BAD_RECORD", `The result cannot be written as JSON: ${why}.`, {
    cause,
    hint: "Return plain objects, arrays, numbers and strings from forward, or open a writer of your own in openWriters.",
  });
}
