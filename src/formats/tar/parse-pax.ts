import { isUtf8 } from "node:buffer";
import { refuseFile } from "../refuse-file.ts";

/** Name and size of an entry by a pax header; other keys (times, owners) are ignored. */
export function parsePax(bytes: Uint8Array, offset: number, file: string): { path?: string; size?: number } {
  const found: { path?: string; size?: number } = {};
  for (let at = 0; at < bytes.length; ) {
    const { key, value, end } = recordAt(bytes, at, offset, file);
    if (key.startsWith("GNU.sparse")) throw refuseFile(file, offset + at, "a sparse file, which is not read");
    if (key === "path") found.path = value;
    if (key === "size") found.size = sizeOf(value, offset + at, file);
    at = end;
  }
  return found;
}

/** `21 path=…` and a line break; 21 is the number of bytes of the whole record, itself included. */
function recordAt(
  bytes: Uint8Array,
  at: number,
  offset: number,
  file: string,
): { key: string; value: string; end: number } {
  const refuse = (): Error =>
    refuseFile(file, offset + at, "the extended header is not made of lengths, keys and values");
  const space = bytes.indexOf(0x20, at);
  if (space === -1 || space - at > 9) throw refuse();
  const length = String.fromCharCode(...bytes.subarray(at, space));
  const end = at + Number(length);
  if (!/^[1-9]\d*$/.test(length) || end > bytes.length || end <= space || bytes[end - 1] !== 0x0a) throw refuse();
  const record = bytes.subarray(space + 1, end - 1);
  const equals = record.indexOf(0x3d);
  if (equals < 1 || !isUtf8(record)) throw refuse();
  const text = Buffer.from(record.buffer, record.byteOffset, record.length);
  return { key: text.toString("utf8", 0, equals), value: text.toString("utf8", equals + 1), end };
}

function sizeOf(value: string, at: number, file: string): number {
  const size = /^\d{1,16}$/.test(value) ? Number(value) : NaN;
  if (!Number.isSafeInteger(size)) throw refuseFile(file, at, "the size of an entry is not a number");
  return size;
}
