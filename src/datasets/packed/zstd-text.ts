import { isMillraceError, messageOf } from "../../errors/errors.ts";
import { unpackZstd } from "../../formats/lines/compression.ts";
import { readZstdBlock, readZstdHead, zstdBlockHead, zstdHeadStart } from "../../formats/lines/zstd-format.ts";
import { refuseFile } from "../../formats/refuse-file.ts";
import type { RestartTable } from "../index/index-footer.ts";
import type { ByteStore } from "../source/byte-store.ts";
import { maxSpanBytes, type PackedText, type RestartPoint, RestartPoints, writePoints } from "./packed-text.ts";
import { openUnpacked } from "./unpacked-store.ts";

/** Files of zstd: each frame is a restart point. A frame of more than 64 MiB of text is refused. */
export const zstdText: PackedText = {
  unpack(store, writer) {
    const points: RestartPoint[] = [];
    let table: RestartTable | undefined;
    const chunks = async function* () {
      let textAt = 0;
      for await (const { at, bytes } of zstdFrames(store)) {
        const text = unpackFrame(await store.read(at, bytes), store.name, at);
        if (text.length > 0) points.push({ textAt, fileAt: at, bit: 0, windowAt: 0, windowBytes: 0 });
        textAt += text.length;
        yield text;
      }
      table = writePoints(writer, "zstd", points);
    };
    return { chunks, restarts: () => table };
  },
  open(store, index) {
    const { restarts, textBytes } = index.footer;
    const points = new RestartPoints(index, restarts!);
    return openUnpacked(store, { points, textBytes }, ({ point, packed }) =>
      unpackFrame(packed, store.name, point.fileAt),
    );
  },
};

function unpackFrame(frame: Buffer, name: string, at: number): Buffer {
  try {
    return unpackZstd(frame, name, maxSpanBytes);
  } catch (cause) {
    if (isMillraceError(cause)) throw cause;
    throw refuseFile(name, at, `a zstd frame cannot be unpacked (${messageOf(cause)})`, {
      cause,
      hint: `Only frames of up to ${maxSpanBytes} bytes of text are read: compress the file again in smaller frames (pzstd does), or as .gz.`,
    });
  }
}

/** A frame of a zstd file, which can be unpacked without the others. */
interface ZstdFrame {
  readonly at: number;
  readonly bytes: number;
}

/** The frames of a file, found by the lengths of their blocks: nothing is unpacked. */
async function* zstdFrames(store: ByteStore): AsyncGenerator<ZstdFrame> {
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
