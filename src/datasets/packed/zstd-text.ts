import { isMillraceError, messageOf } from "../../errors/errors.ts";
import { unpackZstd } from "../../formats/lines/compression.ts";
import { refuseFile } from "../../formats/refuse-file.ts";
import type { RestartTable } from "../index/index-footer.ts";
import { maxSpanBytes, type PackedText, type RestartPoint, RestartPoints, writePoints } from "./packed-text.ts";
import { openUnpacked } from "./unpacked-store.ts";
import { zstdFrames } from "./zstd-frames.ts";

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
