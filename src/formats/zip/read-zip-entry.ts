import { inflateRawSync } from "node:zlib";
import { crc32 } from "../../bytes/crc32.ts";
import { messageOf } from "../../errors/errors.ts";
import { badFile } from "../bad-file.ts";
import type { ZipArchive, ZipEntry } from "./open-zip.ts";
import { zip } from "./zip-records.ts";

/** The bytes of an entry, verified by their checksum. Stored ones share the memory of an archive in memory. */
export function readZipEntry(archive: ZipArchive, entry: ZipEntry): Buffer {
  const { source } = archive;
  const offset = findEntryData(archive, entry);
  const raw = source.read(offset, entry.storedBytes);
  const bytes = entry.compressed ? inflate(raw, entry, (problem) => badFile(source.name, offset, problem)) : raw;
  if (crc32(bytes) !== entry.crc32) {
    throw badFile(source.name, offset, `the bytes of the zip entry ${entry.name} do not have their checksum`);
  }
  return bytes;
}

/** The start of an entry's data: after a second header, which must agree with the directory. */
export function findEntryData({ source }: ZipArchive, entry: ZipEntry): number {
  const { name, headerOffset, limit } = entry;
  const header = source.read(headerOffset, zip.localBytes);
  const nameBytes = header.readUInt16LE(26);
  const offset = headerOffset + zip.localBytes + nameBytes + header.readUInt16LE(28);
  const method = header.readUInt16LE(8);
  if (header.readUInt32LE(0) !== zip.localSignature || (method === zip.deflated) !== entry.compressed) {
    throw badFile(source.name, headerOffset, `the header of the zip entry ${name} is expected here`);
  }
  if (offset + entry.storedBytes > limit) {
    throw badFile(source.name, headerOffset, `the zip entry ${name} overlaps what begins at ${limit}`);
  }
  if (source.read(headerOffset + zip.localBytes, nameBytes).toString("utf8") !== name) {
    throw badFile(source.name, headerOffset, `the zip entry ${name} has another name in its own header`);
  }
  return offset;
}

function inflate(raw: Buffer, { name, bytes }: ZipEntry, fail: (problem: string) => Error): Buffer {
  let inflated: Buffer;
  try {
    // zlib's buffers are sized by the available bytes, not by what the header announces.
    const chunkSize = Math.max(64, Math.min(bytes, 4 * raw.length, 1 << 20));
    inflated = inflateRawSync(raw, { maxOutputLength: Math.max(1, bytes), chunkSize });
  } catch (error) {
    throw fail(`the zip entry ${name} cannot be unpacked to ${bytes} bytes (${messageOf(error)})`);
  }
  if (inflated.length !== bytes) {
    throw fail(`the zip entry ${name} unpacks to ${inflated.length} bytes, but announces ${bytes}`);
  }
  return inflated;
}
