import { createReadStream, createWriteStream, mkdirSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { errnoOf, isMillraceError, MillraceError, messageOf } from "../../errors/errors.ts";
import { outputLimit } from "../../input/output-limit.ts";
import { openFile } from "../file-source.ts";
import { refuseFile } from "../refuse-file.ts";
import { type Compression, compressionOfBytes, compressionOfName, compressor, decompressor } from "./compression.ts";
import { encodeJsonLine, parseJsonLine } from "./json-lines.ts";
import { type Line, type LineLimits, LineSplitter } from "./line-splitter.ts";
import { unpackZstdFrames } from "./unpack-zstd-frames.ts";

/** The records of a file of JSON lines, plain or compressed (by its first bytes), with one chunk in memory. */
export async function* readJsonl<Record = unknown>(path: string, limits: LineLimits = {}): AsyncGenerator<Record> {
  // Opened once, so that the checked file is the one that is read.
  const { fd, sizeBytes } = openFile(path);
  const file = createReadStream(path, { fd, start: 0, highWaterMark: 1 << 16 });
  try {
    yield* readRecords<Record>(inflateChunks(file, compressionOf(fd), path), path, limits, sizeBytes);
  } finally {
    file.destroy();
  }
}

/** The records of text that comes in chunks, from a file of `fileBytes` bytes. */
async function* readRecords<Record>(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  limits: LineLimits,
  fileBytes: number,
): AsyncGenerator<Record> {
  const limit = outputLimit(fileBytes, limits);
  const splitter = new LineSplitter(name, limits);
  for await (const chunk of chunks) yield* recordsOf<Record>(splitter.push(chunk), name, limit);
  yield* recordsOf<Record>(splitter.end(), name, limit);
}

function* recordsOf<Record>(lines: Iterable<Line>, name: string, limit: number): Generator<Record> {
  for (const line of lines) if (line.text.trim() !== "") yield parseJsonLine<Record>(line, name, limit);
}

function compressionOf(fd: number): Compression {
  const start = Buffer.alloc(4);
  return compressionOfBytes(start.subarray(0, readSync(fd, start, 0, start.length, 0)));
}

/** Writes records as JSON lines, compressed as the name says (`.gz`, `.zst`). Returns their number. */
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

/** Decompresses a stream chunk by chunk; damage is an error with its position. */
async function* inflateChunks(packed: Readable, compression: Compression, name: string): AsyncGenerator<Uint8Array> {
  if (compression === "zstd") return yield* unpackedZstd(packed, name);
  const transform = decompressor(compression, name);
  let [packedBytes, bytes] = [0, 0];
  try {
    if (transform !== undefined) {
      packed.on("data", (chunk: Uint8Array) => {
        packedBytes += chunk.length;
      });
      packed.on("error", (error) => transform.destroy(error));
    }
    for await (const chunk of (transform === undefined ? packed : packed.pipe(transform)) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      yield chunk;
    }
  } catch (cause) {
    if (isMillraceError(cause)) throw cause;
    const what = `cannot be read on as ${compression} (${messageOf(cause)})`;
    const place = transform === undefined ? bytes : packedBytes;
    throw refuseFile(name, place, `${what}, ${bytes} bytes of text after its beginning`, { cause });
  } finally {
    transform?.destroy();
  }
}

async function* unpackedZstd(packed: Readable, name: string): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of unpackZstdFrames(packed, name)) {
      bytes += chunk.length;
      yield chunk;
    }
  } catch (cause) {
    if (isMillraceError(cause)) throw cause;
    const what = `cannot be read on as zstd (${messageOf(cause)}), ${bytes} bytes of text after its beginning`;
    throw refuseFile(name, undefined, what, { cause });
  }
}
