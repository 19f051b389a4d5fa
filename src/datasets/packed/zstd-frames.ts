import { readZstdBlock, readZstdHead, zstdBlockHead, zstdHeadStart } from "../../formats/lines/zstd-format.ts";
import { refuseFile } from "../../formats/refuse-file.ts";
import type { ByteStore } from "../source/byte-store.ts";

/** A frame of a zstd file, which can be unpacked without the others. */
export interface ZstdFrame {
  readonly at: number;
  readonly bytes: number;
}

/** The frames of a file, found by the lengths of their blocks: nothing is unpacked. */
export async function* zstdFrames(store: ByteStore): AsyncGenerator<ZstdFrame> {
  const isCut = (at: number) => refuseFile(store.name, at, "the file ends within a zstd frame");
  const bytesAt = async (at: number, length: number): Promise<Buffer> => {
    if (at + length > store.size) throw isCut(at);
    return store.read(at, length);
  };
  for (let at = 0; at < store.size; ) {
    const head = readZstdHead(await bytesAt(at, zstdHeadStart));
    if (head === undefined) throw refuseFile(store.name, at, "this is not the beginning of a zstd frame");
    let end = at + head.headBytes;
    if (head.kind === "skipped") end += head.dataBytes;
    else {
      for (let isLast = false; !isLast; ) {
        const block = readZstdBlock(await bytesAt(end, zstdBlockHead));
        if (block === undefined) throw refuseFile(store.name, end, "a zstd block has no valid type");
        end += zstdBlockHead + block.dataBytes;
        ({ isLast } = block);
      }
      end += head.checksumBytes;
    }
    if (end > store.size) throw isCut(store.size);
    if (head.kind === "blocks") yield { at, bytes: end - at };
    at = end;
  }
}
