import { closeSync, openSync, readSync } from "node:fs";
import { MillraceError } from "../shared/errors.ts";

/** The records of a JSONL file one after the other, without holding the file in memory. */
export function* readRecords<Record = unknown>(path: string): Generator<Record> {
  let number = 0;
  for (const line of readLines(path)) {
    number++;
    yield parseLine<Record>(line, path, number);
  }
}

function parseLine<Record>(line: string, path: string, number: number): Record {
  try {
    return JSON.parse(line) as Record;
  } catch (cause) {
    throw new MillraceError("SHARD_DAMAGED", `${path}, line ${number}, is not JSON.`, {
      cause,
      hint: "The file was changed after it was written, or the line was cut off. Run again to have it made anew.",
    });
  }
}

/** The lines of a text file. */
export function* readLines(path: string): Generator<string> {
  const fd = openSync(path, "r");
  const chunk = Buffer.allocUnsafe(1 << 17);
  // The piece of a line at the end of a chunk; bytes, since a character may be cut as well.
  let rest: Buffer = Buffer.alloc(0);
  try {
    for (;;) {
      const read = readSync(fd, chunk, 0, chunk.length, null);
      if (read === 0) break;
      const bytes = Buffer.concat([rest, chunk.subarray(0, read)]);
      const end = bytes.lastIndexOf(10) + 1;
      rest = bytes.subarray(end);
      if (end > 0) yield* bytes.toString("utf8", 0, end - 1).split("\n");
    }
    if (rest.length > 0) yield rest.toString("utf8");
  } finally {
    closeSync(fd);
  }
}
