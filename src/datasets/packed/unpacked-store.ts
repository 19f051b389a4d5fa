import { requireWithin } from "../../formats/byte-source.ts";
import { refuseFile } from "../../formats/refuse-file.ts";
import { isThenable } from "../../runtime/is-thenable.ts";
import type { ByteStore } from "../source/byte-store.ts";
import { maxSpanBytes, type RestartPoint, type RestartPoints } from "./packed-text.ts";

/** A part of the text between two restart points, and where its bytes are in the file. */
export interface PackedSpan {
  readonly point: RestartPoint;
  readonly textBytes: number;
  readonly packed: Buffer;
}

const maxKeptBytes = 16 * 2 ** 20;

/** The text of a compressed file by its own offsets. The spans that were used last are kept. */
export function openUnpacked(
  store: ByteStore,
  { points, textBytes }: { readonly points: RestartPoints; readonly textBytes: number },
  unpack: (span: PackedSpan) => Buffer,
): ByteStore {
  const kept = new Map<number, Buffer>();
  let keptBytes = 0;
  const keep = (number: number, text: Buffer): Buffer => {
    kept.set(number, text);
    keptBytes += text.length;
    for (const [oldest, { length }] of kept) {
      if (keptBytes <= maxKeptBytes || kept.size <= 2) break;
      kept.delete(oldest);
      keptBytes -= length;
    }
    return text;
  };
  const spanText = (number: number): Buffer | Promise<Buffer> => {
    const known = kept.get(number);
    if (known !== undefined) return known;
    const point = points.get(number);
    const isLast = number + 1 >= points.count;
    const next = isLast ? { textAt: textBytes, fileAt: store.size, bit: 0 } : points.get(number + 1);
    const length = next.textAt - point.textAt;
    if (!(length >= 0 && length <= maxSpanBytes)) throw damaged(store, point);
    const end = Math.min(store.size, next.fileAt + (next.bit > 0 ? 1 : 0));
    const finish = (packed: Buffer) => keep(number, exact(unpack({ point, textBytes: length, packed }), length, point));
    const packed = store.read(point.fileAt, end - point.fileAt);
    return isThenable(packed) ? Promise.resolve(packed).then(finish) : finish(packed);
  };
  const exact = (text: Buffer, length: number, point: RestartPoint): Buffer => {
    if (text.length < length) throw damaged(store, point);
    return text.subarray(0, length);
  };
  const text: ByteStore = {
    name: store.name,
    size: textBytes,
    key: store.key,
    version: store.version,
    read(offset, length) {
      requireWithin(text, offset, length);
      if (length === 0) return Buffer.alloc(0);
      const number = points.before(offset);
      const from = offset - points.get(number).textAt;
      const cut = (span: Buffer): Buffer | Promise<Buffer> => {
        const piece = span.subarray(from, from + length);
        if (piece.length === length) return piece;
        const rest = text.read(offset + piece.length, length - piece.length);
        return isThenable(rest)
          ? Promise.resolve(rest).then((more) => Buffer.concat([piece, more]))
          : Buffer.concat([piece, rest]);
      };
      const span = spanText(number);
      return isThenable(span) ? Promise.resolve(span).then(cut) : cut(span);
    },
    close: () => store.close(),
  };
  return text;
}

function damaged(store: ByteStore, { fileAt }: RestartPoint): Error {
  return refuseFile(store.name, fileAt, "what begins here is not what the index was made from", {
    hint: "The file was changed after it was opened, or is damaged. Open it again once it is complete.",
  });
}
