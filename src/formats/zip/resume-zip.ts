import { isUtf8 } from "node:buffer";
import { badFile } from "../bad-file.ts";
import { type Bytes, toByteSource } from "../byte-source.ts";
import type { WrittenEntry } from "./zip-headers.ts";
import { findExtra, readUint64, zip } from "./zip-records.ts";
import type { ZipPrefix } from "./zip-writer.ts";

/**
 * The entries of an archive that was interrupted between two of them, from their own headers: a checkpoint of a
 * `ZipWriter` is only a length.
 */
export function resumeZip(input: Bytes, name?: string): ZipPrefix {
  const source = toByteSource(input, name);
  const entries: WrittenEntry[] = [];
  let at = 0;
  while (at < source.size) {
    const header = source.read(at, zip.localBytes);
    if (header.readUInt32LE(0) !== zip.localSignature) {
      throw badFile(source.name, at, "the header of a zip entry is expected here");
    }
    if ((header.readUInt16LE(6) & zip.descriptorFlag) !== 0) {
      throw badFile(source.name, at, "an archive with a streamed entry cannot be continued", "Write it again.");
    }
    const nameBytes = header.readUInt16LE(26);
    const rest = source.read(at + zip.localBytes, nameBytes + header.readUInt16LE(28));
    const sizes = findExtra(rest.subarray(nameBytes), zip.zip64Extra);
    const storedBytes = header.readUInt32LE(18);
    const is64 = storedBytes === zip.full32 && sizes !== undefined && sizes.length >= 16;
    if (!isUtf8(rest.subarray(0, nameBytes))) throw badFile(source.name, at, "the name of a zip entry is not UTF-8");
    const entry: WrittenEntry = {
      name: rest.toString("utf8", 0, nameBytes),
      compressed: header.readUInt16LE(8) === zip.deflated,
      crc32: header.readUInt32LE(14),
      storedBytes: is64 ? readUint64(sizes, 8) : storedBytes,
      bytes: is64 ? readUint64(sizes, 0) : header.readUInt32LE(22),
      headerOffset: at,
      streamed: false,
    };
    entries.push(entry);
    at += zip.localBytes + rest.length + entry.storedBytes;
  }
  if (at !== source.size) throw badFile(source.name, source.size, "the file ends within a zip entry");
  return { entries, bytes: at };
}
