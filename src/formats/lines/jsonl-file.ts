import { createReadStream, createWriteStream, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { errnoOf, MillraceError } from "../../shared/errors.ts";
import { withFileSource } from "../file-source.ts";
import { type Compression, compressionOfBytes, compressionOfName, compressor } from "./compression.ts";
import { inflateChunks } from "./inflate-chunks.ts";
import { encodeJsonLine, parseJsonLine } from "./json-lines.ts";
import { type LineLimits, LineSplitter } from "./line-splitter.ts";

/** The records of a file of JSON lines, plain or compressed (as its first bytes say), with one chunk in memory. */
export async function* readJsonl<Record = unknown>(path: string, limits: LineLimits = {}): AsyncGenerator<Record> {
  yield* readRecords<Record>(readUncompressed(path), path, limits);
}

/** The records of text that comes in chunks. */
export async function* readRecords<Record>(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  limits: LineLimits,
): AsyncGenerator<Record> {
  const splitter = new LineSplitter(name, limits);
  for await (const chunk of chunks) {
    for (const line of splitter.push(chunk)) if (line.text.trim() !== "") yield parseJsonLine<Record>(line, name);
  }
  for (const line of splitter.end()) if (line.text.trim() !== "") yield parseJsonLine<Record>(line, name);
}

async function* readUncompressed(path: string): AsyncGenerator<Uint8Array> {
  const compression = compressionOfFile(path);
  const file = createReadStream(path, { highWaterMark: 1 << 16 });
  try {
    yield* inflateChunks(file, compression, path);
  } finally {
    file.destroy();
  }
}

function compressionOfFile(path: string): Compression {
  return withFileSource(path, (file) => compressionOfBytes(file.read(0, Math.min(4, file.size))));
}

/** Writes records as JSON lines, compressed as the name says (`.gz`, `.zst`). Returns how many. */
export async function writeJsonl(path: string, records: Iterable<unknown> | AsyncIterable<unknown>): Promise<number> {
  const transform = compressor(compressionOfName(path), path);
  let count = 0;
  async function* lines(): AsyncGenerator<string> {
    let text = "";
    for await (const record of records) {
      text += encodeJsonLine(record);
      count++;
      if (text.length >= 1 << 16) {
        yield text;
        text = "";
      }
    }
    if (text !== "") yield text;
  }
  try {
    mkdirSync(dirname(path), { recursive: true });
    const [source, target] = [Readable.from(lines()), createWriteStream(path)];
    await (transform === undefined ? pipeline(source, target) : pipeline(source, transform, target));
  } catch (cause) {
    if (errnoOf(cause) === undefined) throw cause;
    throw new MillraceError("WRITER_FAILED", `${path} cannot be written (${errnoOf(cause)}).`, {
      cause,
      hint: "Check the path, its rights and the free space, then write it again.",
    });
  }
  return count;
}
