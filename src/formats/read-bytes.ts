import { badFile } from "./bad-file.ts";
import type { ByteSource } from "./byte-source.ts";

/** Refuses a length that the file does not have, and names what needs it, before anything is allocated. */
export function requireBytes(
  source: Pick<ByteSource, "name" | "size">,
  offset: number,
  length: number,
  what: string,
): void {
  const left = Math.max(0, source.size - offset);
  if (length > left) throw badFile(source.name, offset, `${what} needs ${length} bytes, and ${left} are left`);
}

/** A copy of a piece of a source, which no other code can change. */
export function readBytes(source: ByteSource, offset: number, length: number, what: string): Uint8Array<ArrayBuffer> {
  requireBytes(source, offset, length, what);
  return new Uint8Array(source.read(offset, length));
}
