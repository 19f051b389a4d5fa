import { badFile } from "../bad-file.ts";
import type { ByteSource } from "../byte-source.ts";
import { readUint64, zip } from "./zip-records.ts";

export interface ZipDirectory {
  readonly offset: number;
  readonly bytes: number;
  readonly count: number;
}

/**
 * Finds the directory of an archive from its end. Directory and end records must be adjacent: with a gap, two readers
 * could see two different archives.
 */
export function findZipDirectory(source: ByteSource): ZipDirectory {
  const endOffset = findEnd(source);
  const end = source.read(endOffset, zip.endBytes);
  const plain: ZipDirectory = {
    count: end.readUInt16LE(10),
    bytes: end.readUInt32LE(12),
    offset: end.readUInt32LE(16),
  };
  if (end.readUInt16LE(4) !== 0 || end.readUInt16LE(6) !== 0 || end.readUInt16LE(8) !== plain.count) {
    throw badFile(source.name, endOffset, "the zip archive is one of several parts", "Join the parts first.");
  }
  const large = readZip64(source, endOffset);
  const directory = large?.directory ?? plain;
  if (large !== undefined && !agrees(plain, large.directory)) {
    throw badFile(source.name, endOffset, "the two end records of the zip archive contradict each other");
  }
  const { offset, bytes, count } = directory;
  const limit = large?.offset ?? endOffset;
  if (offset + bytes !== limit) {
    throw badFile(
      source.name,
      endOffset,
      `the zip directory is announced at ${offset} (${bytes} bytes), which is wrong`,
    );
  }
  if (count * zip.centralBytes > bytes) {
    throw badFile(source.name, endOffset, `${count} zip entries do not fit into a directory of ${bytes} bytes`);
  }
  return directory;
}

/**
 * Searches backwards over a possible comment for the end record; its comment must end exactly at the end of the file.
 */
function findEnd(source: ByteSource): number {
  const length = Math.min(source.size, zip.endBytes + zip.full16);
  const start = source.size - length;
  // Usually there is no comment.
  const last = source.size >= zip.endBytes ? source.read(source.size - zip.endBytes, zip.endBytes) : undefined;
  if (last?.readUInt32LE(0) === zip.endSignature && last.readUInt16LE(20) === 0) return source.size - zip.endBytes;
  const tail = source.read(start, length);
  for (let at = length - zip.endBytes; at >= 0; at--) {
    if (tail[at] !== 0x50 || tail.readUInt32LE(at) !== zip.endSignature) continue;
    if (tail.readUInt16LE(at + 20) === length - at - zip.endBytes) return start + at;
  }
  throw badFile(source.name, source.size, "no end record of a zip archive is found");
}

/** The 64-bit end record, if there is one. */
function readZip64(source: ByteSource, endOffset: number): { directory: ZipDirectory; offset: number } | undefined {
  const locatorOffset = endOffset - zip.locatorBytes;
  if (locatorOffset < zip.end64Bytes) return undefined;
  const locator = source.read(locatorOffset, zip.locatorBytes);
  if (locator.readUInt32LE(0) !== zip.locatorSignature) return undefined;
  const offset = readUint64(locator, 8);
  if (!(offset + zip.end64Bytes <= locatorOffset)) {
    throw badFile(source.name, locatorOffset, `the 64-bit end record of the zip archive cannot be at ${offset}`);
  }
  const record = source.read(offset, zip.end64Bytes);
  if (record.readUInt32LE(0) !== zip.end64Signature || offset + 12 + readUint64(record, 4) !== locatorOffset) {
    throw badFile(source.name, offset, "the 64-bit end record of the zip archive is expected here");
  }
  const directory = { count: readUint64(record, 32), bytes: readUint64(record, 40), offset: readUint64(record, 48) };
  return { directory, offset };
}

/** A field of the old end record must equal the new one, or be at its maximum. */
function agrees(plain: ZipDirectory, large: ZipDirectory): boolean {
  return (
    (plain.count === large.count || plain.count === zip.full16) &&
    (plain.bytes === large.bytes || plain.bytes === zip.full32) &&
    (plain.offset === large.offset || plain.offset === zip.full32)
  );
}
