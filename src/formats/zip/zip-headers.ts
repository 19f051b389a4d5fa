import { MillraceError } from "../../errors/errors.ts";
import type { ZipDirectory } from "./find-zip-directory.ts";
import type { ZipEntry } from "./open-zip.ts";
import { writeUint64, zip } from "./zip-records.ts";

/** The directory's data of a written entry. */
export interface WrittenEntry extends Omit<ZipEntry, "limit"> {
  /** Its sizes follow its data, because they were not known before it. */
  readonly streamed: boolean;
}

// 1 January 1980, the first day of the format: a real time would make every archive differ.
const dosDate = 0x0021;
const versionPlain = 20;
const version64 = 45;

/** The header before an entry's data, padded so that the data begins at a multiple of `align`. */
export function localHeader(
  entry: Omit<WrittenEntry, "streamed">,
  { align, streamed }: { align: number; streamed: boolean },
): Buffer {
  const large = streamed || entry.bytes >= zip.full32 || entry.storedBytes >= zip.full32;
  const extra64 = large ? 20 : 0;
  const name = encodeName(entry.name);
  const unpadded = zip.localBytes + name.length + extra64;
  const padding = align > 1 ? 4 + ((align - ((entry.headerOffset + unpadded + 4) % align)) % align) : 0;
  const header = Buffer.alloc(unpadded + padding);
  header.writeUInt32LE(zip.localSignature, 0);
  header.writeUInt16LE(large ? version64 : versionPlain, 4);
  header.writeUInt16LE(flagsOf(entry.name, streamed), 6);
  header.writeUInt16LE(entry.compressed ? zip.deflated : zip.stored, 8);
  header.writeUInt16LE(dosDate, 12);
  header.writeUInt32LE(entry.crc32, 14);
  header.writeUInt32LE(large ? zip.full32 : entry.storedBytes, 18);
  header.writeUInt32LE(large ? zip.full32 : entry.bytes, 22);
  header.writeUInt16LE(name.length, 26);
  header.writeUInt16LE(extra64 + padding, 28);
  name.copy(header, zip.localBytes);
  let at = zip.localBytes + name.length;
  if (large) {
    header.writeUInt16LE(zip.zip64Extra, at);
    header.writeUInt16LE(16, at + 2);
    writeUint64(header, entry.bytes, at + 4);
    writeUint64(header, entry.storedBytes, at + 12);
    at += extra64;
  }
  if (padding > 0) {
    header.writeUInt16LE(zip.paddingExtra, at);
    header.writeUInt16LE(padding - 4, at + 2);
  }
  return header;
}

/** What follows the data of a streamed entry. */
export function streamDescriptor({ crc32, bytes, storedBytes }: WrittenEntry): Buffer {
  const record = Buffer.alloc(24);
  record.writeUInt32LE(zip.descriptorSignature, 0);
  record.writeUInt32LE(crc32, 4);
  writeUint64(record, storedBytes, 8);
  writeUint64(record, bytes, 16);
  return record;
}

/** The entry in the directory; only numbers that do not fit go into the 64-bit field. */
export function centralHeader(entry: WrittenEntry): Buffer {
  const numbers = [entry.bytes, entry.storedBytes, entry.headerOffset];
  const large = numbers.filter((value) => value >= zip.full32);
  const extra = large.length > 0 ? 4 + 8 * large.length : 0;
  const name = encodeName(entry.name);
  const header = Buffer.alloc(zip.centralBytes + name.length + extra);
  const version = extra > 0 || entry.streamed ? version64 : versionPlain;
  header.writeUInt32LE(zip.centralSignature, 0);
  header.writeUInt16LE(version, 4);
  header.writeUInt16LE(version, 6);
  header.writeUInt16LE(flagsOf(entry.name, entry.streamed), 8);
  header.writeUInt16LE(entry.compressed ? zip.deflated : zip.stored, 10);
  header.writeUInt16LE(dosDate, 14);
  header.writeUInt32LE(entry.crc32, 16);
  header.writeUInt32LE(Math.min(entry.storedBytes, zip.full32), 20);
  header.writeUInt32LE(Math.min(entry.bytes, zip.full32), 24);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt16LE(extra, 30);
  header.writeUInt32LE(Math.min(entry.headerOffset, zip.full32), 42);
  name.copy(header, zip.centralBytes);
  if (extra > 0) {
    let at = zip.centralBytes + name.length;
    header.writeUInt16LE(zip.zip64Extra, at);
    header.writeUInt16LE(extra - 4, at + 2);
    at += 4;
    for (const value of large) {
      writeUint64(header, value, at);
      at += 8;
    }
  }
  return header;
}

/** The end of the archive; the 64-bit record and its locator only if a number does not fit. */
export function endRecords({ count, offset, bytes }: ZipDirectory): Buffer {
  const large = count >= zip.full16 || offset >= zip.full32 || bytes >= zip.full32;
  const before = large ? zip.end64Bytes + zip.locatorBytes : 0;
  const records = Buffer.alloc(before + zip.endBytes);
  if (large) {
    records.writeUInt32LE(zip.end64Signature, 0);
    writeUint64(records, zip.end64Bytes - 12, 4);
    records.writeUInt16LE(version64, 12);
    records.writeUInt16LE(version64, 14);
    writeUint64(records, count, 24);
    writeUint64(records, count, 32);
    writeUint64(records, bytes, 40);
    writeUint64(records, offset, 48);
    records.writeUInt32LE(zip.locatorSignature, zip.end64Bytes);
    writeUint64(records, offset + bytes, zip.end64Bytes + 8);
    records.writeUInt32LE(1, zip.end64Bytes + 16);
  }
  records.writeUInt32LE(zip.endSignature, before);
  records.writeUInt16LE(Math.min(count, zip.full16), before + 8);
  records.writeUInt16LE(Math.min(count, zip.full16), before + 10);
  records.writeUInt32LE(Math.min(bytes, zip.full32), before + 12);
  records.writeUInt32LE(Math.min(offset, zip.full32), before + 16);
  return records;
}

function flagsOf(name: string, streamed: boolean): number {
  const isAscii = Buffer.byteLength(name) === name.length;
  return (isAscii ? 0 : zip.utf8Flag) | (streamed ? zip.descriptorFlag : 0);
}

function encodeName(name: string): Buffer {
  const bytes = Buffer.from(name, "utf8");
  if (bytes.length <= zip.full16) return bytes;
  throw new MillraceError("BAD_RECORD", `The name of an archive's entry is ${bytes.length} bytes long.`, {
    hint: "Give it a name of at most 65,535 bytes; safeFileName shortens an id.",
  });
}
