import { readSync } from "node:fs";
import { MillraceError } from "../../errors/errors.ts";
import { openFileToRead } from "../files/durable-files.ts";
import { closeSync } from "../files/store-calls.ts";

/** Options of {@link readLines} and {@link readRecords}. */
export interface ReadLinesOptions {
  /** A longer line is an error. Default: the longest string of V8, 512 MiB. */
  readonly maxLineBytes?: number;
}

/** Reads the records of a JSONL file one after the other, without holding the file in memory. */
export function* readRecords<Record = unknown>(path: string, options: ReadLinesOptions = {}): Generator<Record> {
  let number = 0;
  for (const line of readLines(path, options)) {
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
      hint: "The file was changed after it was written, or the line was cut off. Run again to have it made again.",
    });
  }
}

// The longest string of V8. A sparse file may have a line that is larger than the disk.
const maxTextBytes = 0x1fffffe8;

function tooLong(path: string, maxLineBytes: number): MillraceError {
  return new MillraceError("SHARD_DAMAGED", `${path} has a line of more than ${maxLineBytes} bytes.`, {
    hint: "The file was changed after it was written. Run again to have it made again.",
  });
}

/** The lines of a text file. */
export function* readLines(path: string, { maxLineBytes = maxTextBytes }: ReadLinesOptions = {}): Generator<string> {
  const fd = openFileToRead(path);
  const chunk = Buffer.allocUnsafe(1 << 17);
  // The pieces of a line whose end was not read yet. They are bytes, because a piece may end inside of a character.
  let rest: Buffer[] = [];
  let restBytes = 0;
  try {
    for (;;) {
      const read = readSync(fd, chunk, 0, chunk.length, null);
      if (read === 0) break;
      const bytes = chunk.subarray(0, read);
      const end = bytes.lastIndexOf(10) + 1;
      if (end > 0) {
        yield* Buffer.concat([...rest, bytes.subarray(0, end - 1)])
          .toString("utf8")
          .split("\n");
        [rest, restBytes] = [[], 0];
      }
      if (end < read) rest.push(Buffer.from(bytes.subarray(end)));
      restBytes += read - end;
      if (restBytes > maxLineBytes) throw tooLong(path, maxLineBytes);
    }
    if (restBytes > 0) yield Buffer.concat(rest).toString("utf8");
  } finally {
    closeSync(fd);
  }
}
