import { Readable } from "node:stream";
import { refuseFile } from "../refuse-file.ts";
import { decompressor } from "./compression.ts";
import { readZstdBlock, readZstdHead, zstdBlockHead, zstdHeadStart } from "./zstd-format.ts";

/**
 * The text of a zstd file, frame by frame: Node.js itself stops after the first frame of what it is given, without an error,
 * and pzstd, `cat` and our own writers make files of several.
 */
export async function* unpackZstdFrames(packed: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Buffer> {
  const input = new PackedInput(packed, name);
  // Says what is missing before anything is read.
  decompressor("zstd", name)!.destroy();
  for (;;) {
    const frameAt = input.position;
    const start = await input.upTo(zstdHeadStart);
    if (start.length === 0) return;
    const head = start.length < zstdHeadStart ? undefined : readZstdHead(start);
    if (head === undefined) throw refuseFile(name, frameAt, "this is not the beginning of a zstd frame");
    if (head.kind === "skipped") await input.skip(head.dataBytes);
    else yield* unpackFrame(frameBytes(input, start, head), name);
  }
}

async function* unpackFrame(frame: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  const transform = decompressor("zstd", name)!;
  const source = Readable.from(frame, { objectMode: false });
  source.on("error", (error) => transform.destroy(error));
  try {
    yield* source.pipe(transform) as AsyncIterable<Buffer>;
  } finally {
    source.destroy();
    transform.destroy();
  }
}

async function* frameBytes(
  input: PackedInput,
  start: Buffer,
  { headBytes, checksumBytes }: { readonly headBytes: number; readonly checksumBytes: number },
): AsyncGenerator<Buffer> {
  // A head may be shorter than what was read to know that.
  input.putBack(start.subarray(Math.min(headBytes, start.length)));
  yield Buffer.concat([start.subarray(0, headBytes), await input.exactly(Math.max(0, headBytes - start.length))]);
  for (let isLast = false; !isLast; ) {
    const { position } = input;
    const head = await input.exactly(zstdBlockHead);
    const block = readZstdBlock(head);
    if (block === undefined) throw refuseFile(input.name, position, "a zstd block has no valid type");
    yield Buffer.concat([head, await input.exactly(block.dataBytes)]);
    ({ isLast } = block);
  }
  if (checksumBytes > 0) yield await input.exactly(checksumBytes);
}

/** Bytes that come in chunks, taken in pieces of other lengths. */
class PackedInput {
  readonly name: string;
  position = 0;
  private readonly chunks: AsyncIterator<Uint8Array>;
  private rest: Buffer = Buffer.alloc(0);

  constructor(packed: AsyncIterable<Uint8Array>, name: string) {
    this.chunks = packed[Symbol.asyncIterator]();
    this.name = name;
  }

  /** At most `length` bytes: fewer only at the end. */
  async upTo(length: number): Promise<Buffer> {
    const pieces = [this.rest];
    let have = this.rest.length;
    while (have < length) {
      const { value, done } = await this.chunks.next();
      if (done === true) break;
      pieces.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      have += value.length;
    }
    const all = pieces.length === 1 ? this.rest : Buffer.concat(pieces);
    const taken = all.subarray(0, length);
    this.rest = all.subarray(taken.length);
    this.position += taken.length;
    return taken;
  }

  async exactly(length: number): Promise<Buffer> {
    const bytes = await this.upTo(length);
    if (bytes.length < length) throw refuseFile(this.name, this.position, "the file ends within a zstd frame");
    return bytes;
  }

  async skip(length: number): Promise<void> {
    for (let left = length; left > 0; left -= skippedAtOnce) await this.exactly(Math.min(left, skippedAtOnce));
  }

  putBack(bytes: Buffer): void {
    this.rest = Buffer.concat([bytes, this.rest]);
    this.position -= bytes.length;
  }
}

const skippedAtOnce = 1 << 16;
