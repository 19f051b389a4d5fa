import { MillraceError } from "../../errors/errors.ts";
import { blockBytes, fields, paddedBytes, problemOfTarName, sumHeader } from "./tar-layout.ts";

/** Above this, the size does not fit the eleven octal digits of a header. */
const largestPlainSize = 8 ** 11 - 1;

/** Two empty blocks: without them a file counts as truncated. */
export const tarEnd: Uint8Array = new Uint8Array(2 * blockBytes);

/**
 * A file of an archive as bytes: always the same for the same name and content, because it has no time and owner. Long
 * or non-ASCII names are stored in a pax header, which GNU tar, bsdtar and Python read.
 */
export function encodeTarEntry(name: string, content: Uint8Array): Uint8Array {
  const nameBytes = Buffer.from(checkName(name));
  const isPlain = nameBytes.length <= fields.name[1] && nameBytes.length === name.length;
  const records = isPlain ? [] : [paxRecord("path", name)];
  if (content.length > largestPlainSize) records.push(paxRecord("size", String(content.length)));
  const pax = Buffer.concat(records);
  const paxBytes = pax.length === 0 ? 0 : blockBytes + paddedBytes(pax.length);
  const bytes = Buffer.alloc(paxBytes + blockBytes + paddedBytes(content.length));
  if (paxBytes > 0) {
    fillHeader(bytes.subarray(0, blockBytes), "PaxHeader", pax.length, "x");
    bytes.set(pax, blockBytes);
  }
  const header = bytes.subarray(paxBytes, paxBytes + blockBytes);
  fillHeader(header, isPlain ? name : "file-with-pax-name", Math.min(content.length, largestPlainSize), "0");
  bytes.set(content, paxBytes + blockBytes);
  return bytes;
}

function fillHeader(block: Buffer, name: string, size: number, type: string): void {
  const put = (field: readonly [number, number], text: string): number => block.write(text, field[0], "latin1");
  put(fields.name, name);
  put(fields.mode, "0000644\0");
  put(fields.uid, "0000000\0");
  put(fields.gid, "0000000\0");
  put(fields.size, `${size.toString(8).padStart(11, "0")}\0`);
  put(fields.mtime, "00000000000\0");
  put(fields.type, type);
  put(fields.magic, "ustar\x0000");
  put(fields.checksum, `${sumHeader(block).toString(8).padStart(6, "0")}\0 `);
}

/** `21 path=…` and a line break; 21 is the number of bytes of the whole record, itself included. */
function paxRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + String(bytes).length;
  length = bytes + String(length).length;
  return Buffer.from(`${length}${rest}`);
}

function checkName(name: string): string {
  const isPart = (part: string): boolean => part !== "" && part !== ".";
  const isSound = problemOfTarName(name) === undefined && !/\p{Surrogate}/u.test(name);
  if (isSound && name.split("/").every(isPart)) return name;
  throw new MillraceError("BAD_RECORD", `${JSON.stringify(name)} cannot be the name of a file in an archive.`, {
    hint: "Names are relative, without empty parts, . and .., and without zero bytes.",
  });
}
