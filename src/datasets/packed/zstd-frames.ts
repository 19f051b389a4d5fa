import { refuseFile } from "../../formats/refuse-file.ts";
import type { ByteStore } from "../source/byte-store.ts";

/** A frame of a zstd file, which can be unpacked without the others. */
export interface ZstdFrame {
  readonly at: number;
  readonly bytes: number;
}

const frameMagic = 0xfd2fb528;
const headerBytes = 18;

/** The frames of a file, found by the lengths of their blocks: nothing is unpacked. */
export async function* zstdFrames(store: ByteStore): AsyncGenerator<ZstdFrame> {
  const bytesAt = async (at: number, length: number, atLeast: number): Promise<Buffer> => {
    const bytes = await store.read(at, Math.min(length, Math.max(0, store.size - at)));
    if (bytes.length < atLeast) throw refuseFile(store.name, at, "the file ends within a zstd frame");
    return bytes;
  };
  for (let at = 0; at < store.size; ) {
    const header = await bytesAt(at, headerBytes, 8);
    const magic = header.readUInt32LE(0);
    // A frame of another program's data: its length follows.
    if (magic >>> 4 === 0x184d2a5) {
      at += 8 + header.readUInt32LE(4);
      if (at > store.size) throw refuseFile(store.name, store.size, "the file ends within a zstd frame");
      continue;
    }
    if (magic !== frameMagic) throw refuseFile(store.name, at, "this is not the beginning of a zstd frame");
    const descriptor = header[4]!;
    const isSingle = (descriptor & 0x20) !== 0;
    const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
    let end = at + 5 + (isSingle ? 0 : 1) + [0, 1, 2, 4][descriptor & 3]! + sizeBytes;
    for (let isLast = false; !isLast; ) {
      const block = (await bytesAt(end, 3, 3)).readUIntLE(0, 3);
      isLast = (block & 1) === 1;
      const kind = (block >> 1) & 3;
      if (kind === 3) throw refuseFile(store.name, end, "a zstd block has no valid type");
      // A block of one repeated byte has only that.
      end += 3 + (kind === 1 ? 1 : block >>> 3);
    }
    if ((descriptor & 4) !== 0) end += 4;
    if (end > store.size) throw refuseFile(store.name, store.size, "the file ends within a zstd frame");
    yield { at, bytes: end - at };
    at = end;
  }
}
