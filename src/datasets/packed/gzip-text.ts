import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import { crc32 } from "../../bytes/crc32.ts";
import { messageOf } from "../../errors/errors.ts";
import { refuseFile } from "../../formats/refuse-file.ts";
import type { IndexFile } from "../index/index-file.ts";
import type { RestartTable } from "../index/index-footer.ts";
import type { IndexWriter } from "../index/index-writer.ts";
import type { ByteStore } from "../source/byte-store.ts";
import { storeChunks } from "../source/store-chunks.ts";
import { BadDeflate, Inflater } from "./inflater.ts";
import { maxSpanBytes, type PackedText, type RestartPoint, RestartPoints, writePoints } from "./packed-text.ts";
import { resumeAtBit } from "./resume-bits.ts";
import { openUnpacked } from "./unpacked-store.ts";

const spacingBytes = 1 << 20;

/** Files of gzip: a restart point about every megabyte of text, with the 32 KiB of text before it. */
export const gzipText: PackedText = {
  unpack(store, writer) {
    const points: RestartPoint[] = [];
    let table: RestartTable | undefined;
    const chunks = async function* () {
      yield* new GzipReader(store, writer, points).read();
      table = writePoints(writer, "gzip", points);
    };
    return { chunks, restarts: () => table };
  },
  open(store, index) {
    const { restarts, textBytes } = index.footer;
    const points = new RestartPoints(index, restarts!);
    return openUnpacked(store, { points, textBytes }, ({ point, textBytes: length, packed }) => {
      try {
        return inflateRawSync(resumeAtBit(packed, point.bit), {
          ...(point.windowBytes === 0 ? {} : { dictionary: readWindow(index, point) }),
          finishFlush: constants.Z_SYNC_FLUSH,
          maxOutputLength: length + spacingBytes,
        });
      } catch (cause) {
        throw refuseFile(store.name, point.fileAt, `cannot be unpacked (${messageOf(cause)})`, { cause });
      }
    });
  },
};

const maxWindowBytes = 1 << 15;

function readWindow(index: IndexFile, { windowAt, windowBytes }: RestartPoint): Buffer {
  return inflateRawSync(index.readBytes(windowAt, windowBytes), { maxOutputLength: maxWindowBytes });
}

/** One reading of a file of gzip from its beginning: its members, their checksums, and points at which to begin again. */
class GzipReader {
  private readonly store: ByteStore;
  private readonly writer: IndexWriter;
  private readonly points: RestartPoint[];
  private readonly inflater = new Inflater();
  private fed = 0;
  private textAt = 0;
  private memberCrc = 0;
  private memberBytes = 0;

  constructor(store: ByteStore, writer: IndexWriter, points: RestartPoint[]) {
    this.store = store;
    this.writer = writer;
    this.points = points;
  }

  async *read(): AsyncGenerator<Buffer> {
    const input = storeChunks(this.store)[Symbol.asyncIterator]();
    while (await this.beginMember(input)) {
      for (let isEnd = false; !isEnd; ) {
        const stop = this.step();
        if (stop === "block") this.addPoint();
        if (stop === "input") await this.feed(input);
        isEnd = stop === "end";
        if (stop === "output" || isEnd) yield this.taken();
      }
      await this.endMember(input);
    }
  }

  private step() {
    try {
      return this.inflater.run();
    } catch (cause) {
      if (!(cause instanceof BadDeflate)) throw cause;
      throw refuseFile(this.store.name, this.fileAt(), `cannot be read on as gzip: ${cause.message}`, { cause });
    }
  }

  private fileAt(): number {
    return Math.max(0, this.fed - Math.ceil(this.inflater.unusedBits / 8));
  }

  private async feed(input: AsyncIterator<Buffer>): Promise<boolean> {
    const { value, done } = await input.next();
    if (done === true) {
      this.inflater.feed(new Uint8Array(0), true);
      return false;
    }
    this.fed += value.length;
    this.inflater.feed(value, this.fed === this.store.size);
    return true;
  }

  /** Whole bytes before the next member: at least `count`, unless the file ends. */
  private async bytes(input: AsyncIterator<Buffer>, count: number): Promise<Uint8Array> {
    let rest = this.inflater.rest();
    while (rest.length < count && (await this.feed(input))) rest = this.inflater.rest();
    return rest;
  }

  private async beginMember(input: AsyncIterator<Buffer>): Promise<boolean> {
    const rest = await this.bytes(input, 1 << 17);
    // Tapes and some tools pad with zeros.
    if (this.textAt + this.memberCrc + this.points.length > 0 && rest.every((byte) => byte === 0)) {
      if (this.fed === this.store.size) return false;
    }
    if (rest.length === 0) return false;
    const header = gzipHeaderBytes(rest);
    if (header === undefined) {
      throw refuseFile(this.store.name, this.fed - rest.length, "this is not the beginning of gzip data", {
        hint: "The file is damaged, or something was appended that is not gzip: unpack it and compress it again.",
      });
    }
    this.inflater.skip(header);
    this.inflater.restart();
    this.memberCrc = this.memberBytes = 0;
    this.point(0, Buffer.alloc(0));
    return true;
  }

  private async endMember(input: AsyncIterator<Buffer>): Promise<void> {
    const rest = await this.bytes(input, 8);
    const at = this.fed - rest.length;
    if (rest.length < 8) throw refuseFile(this.store.name, at, "the file ends before the checksum of its gzip data");
    const trailer = Buffer.from(rest.subarray(0, 8));
    if (trailer.readUInt32LE(0) !== this.memberCrc || trailer.readUInt32LE(4) !== this.memberBytes % 2 ** 32) {
      throw refuseFile(this.store.name, at, "the checksum of the gzip data before it does not match");
    }
    this.inflater.skip(8);
  }

  private taken(): Buffer {
    const part = this.inflater.take();
    const bytes = Buffer.from(part.buffer, part.byteOffset, part.length);
    this.memberCrc = crc32(bytes, this.memberCrc);
    this.memberBytes += bytes.length;
    this.textAt += bytes.length;
    const span = this.textAt - (this.points.at(-1)?.textAt ?? 0);
    if (span > maxSpanBytes + spacingBytes) {
      throw refuseFile(this.store.name, this.fileAt(), `more than ${maxSpanBytes} bytes of text are one block here`, {
        hint: "Rows of such a file cannot be read on their own: unpack it, or compress it again with gzip.",
      });
    }
    return bytes;
  }

  /** At the beginning of a block, if the last point is far enough away. */
  private addPoint(): void {
    const ahead = this.inflater.pending;
    if (this.textAt + ahead - this.points.at(-1)!.textAt < spacingBytes) return;
    this.point(ahead, Buffer.from(this.inflater.history()));
  }

  private point(ahead: number, window: Buffer): void {
    const packed = window.length === 0 ? window : deflateRawSync(window);
    const bits = this.fed * 8 - this.inflater.unusedBits;
    const point: RestartPoint = {
      textAt: this.textAt + ahead,
      fileAt: Math.floor(bits / 8),
      bit: bits % 8,
      windowAt: packed.length === 0 ? 0 : this.writer.append(packed),
      windowBytes: packed.length,
    };
    // Members without text leave no points behind.
    if (this.points.at(-1)?.textAt === point.textAt) this.points.pop();
    this.points.push(point);
  }
}

const [hasHeaderCrc, hasExtra, hasName, hasComment] = [2, 4, 8, 16];

/** The length of the header of a gzip member; undefined if these bytes are none, or it does not end within them. */
function gzipHeaderBytes(bytes: Uint8Array): number | undefined {
  if (bytes.length < 10 || bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[2] !== 8) return undefined;
  const flags = bytes[3]!;
  // Bits that no version defines: the header may be longer than is known.
  if ((flags & 0xe0) !== 0) return undefined;
  let at = 10;
  if ((flags & hasExtra) !== 0) at += 2 + (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0);
  for (const flag of [hasName, hasComment]) {
    if ((flags & flag) === 0) continue;
    const end = bytes.indexOf(0, at);
    if (end === -1) return undefined;
    at = end + 1;
  }
  if ((flags & hasHeaderCrc) !== 0) at += 2;
  return at <= bytes.length ? at : undefined;
}
