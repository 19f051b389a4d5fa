import { isUtf8 } from "node:buffer";
import { type OutputOptions, outputLimit, tooMuchOutput } from "../../input/output-limit.ts";
import { badFile } from "../bad-file.ts";
import { type ByteSource, type Bytes, toByteSource } from "../byte-source.ts";
import { findZipDirectory } from "./find-zip-directory.ts";
import { findExtra, problemOfName, readUint64, zip } from "./zip-records.ts";

/** One file in an archive, as in the directory at the archive's end. */
export interface ZipEntry {
  readonly name: string;
  readonly compressed: boolean;
  readonly crc32: number;
  /** Its size in the archive, and its uncompressed size. */
  readonly storedBytes: number;
  readonly bytes: number;
  readonly headerOffset: number;
  /** The start of the next entry or the directory: the data must end there. */
  readonly limit: number;
}

/** A zip archive that is read entry by entry. */
export interface ZipArchive {
  readonly source: ByteSource;
  /** By name, in the order of the directory. */
  readonly entries: ReadonlyMap<string, ZipEntry>;
}

/**
 * The name of a zip archive in errors, and how much it may unpack to: an archive whose compressed entries announce more
 * in total is refused.
 */
export interface ZipOptions extends OutputOptions {
  /** The name of the archive in errors, if it is bytes in memory. */
  readonly name?: string;
}

interface DirectoryEntry extends Omit<ZipEntry, "limit"> {
  readonly directoryOffset: number;
}

/** Reads and checks the whole directory of a ZIP archive; the data of an entry is read on demand. */
export function openZip(input: Bytes, options: ZipOptions = {}): ZipArchive {
  const source = toByteSource(input, options.name);
  const { offset, bytes, count } = findZipDirectory(source);
  const directory = source.read(offset, bytes);
  const found: DirectoryEntry[] = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    const { entry, end } = readDirectoryEntry(source, directory, { at, base: offset });
    found.push(entry);
    at = end;
  }
  if (at !== bytes) throw badFile(source.name, offset + at, `${bytes - at} bytes of the zip directory are not entries`);
  refuseBomb(source, found, outputLimit(source.size, options));
  return { source, entries: indexEntries(source, found, offset) };
}

function readDirectoryEntry(
  source: ByteSource,
  directory: Buffer,
  { at, base }: { at: number; base: number },
): { entry: DirectoryEntry; end: number } {
  const fail = (problem: string, hint?: string) => badFile(source.name, base + at, problem, hint);
  if (at + zip.centralBytes > directory.length || directory.readUInt32LE(at) !== zip.centralSignature) {
    throw fail("an entry of the zip directory is expected here");
  }
  const flags = directory.readUInt16LE(at + 8);
  const method = directory.readUInt16LE(at + 10);
  const nameEnd = at + zip.centralBytes + directory.readUInt16LE(at + 28);
  const extraEnd = nameEnd + directory.readUInt16LE(at + 30);
  const end = extraEnd + directory.readUInt16LE(at + 32);
  if (end > directory.length) throw fail("an entry of the zip directory reaches beyond its end");
  const nameBytes = directory.subarray(at + zip.centralBytes, nameEnd);
  if (!isUtf8(nameBytes)) throw fail("the name of a zip entry is not UTF-8");
  const name = nameBytes.toString("utf8");
  const nameProblem = problemOfName(name);
  if (nameProblem !== undefined) throw fail(`the name of the zip entry ${JSON.stringify(name)} ${nameProblem}`);
  if ((flags & zip.encryptedFlags) !== 0)
    throw fail(`the zip entry ${name} is encrypted`, "Decrypt the archive first.");
  if (method !== zip.stored && method !== zip.deflated) {
    throw fail(`the zip entry ${name} is compressed with method ${method}`, "Only stored and deflated can be read.");
  }
  const sizes = readSizes(directory, { at, nameEnd, extraEnd }, fail);
  const compressed = method === zip.deflated;
  if (!compressed && sizes.bytes !== sizes.storedBytes) {
    throw fail(`the zip entry ${name} is stored, but its two sizes differ (${sizes.storedBytes} and ${sizes.bytes})`);
  }
  const crc32 = directory.readUInt32LE(at + 16);
  return { entry: { name, compressed, crc32, ...sizes, directoryOffset: base + at }, end };
}

/** Sizes and offset; those that do not fit 32 bits are in an extra field, in this order, and only those. */
function readSizes(
  directory: Buffer,
  { at, nameEnd, extraEnd }: { at: number; nameEnd: number; extraEnd: number },
  fail: (problem: string) => Error,
): Pick<ZipEntry, "bytes" | "storedBytes" | "headerOffset"> {
  let extra: Buffer | undefined;
  let taken = 0;
  const readSize = (place: number): number => {
    const value = directory.readUInt32LE(at + place);
    if (value !== zip.full32) return value;
    extra ??= findExtra(directory.subarray(nameEnd, extraEnd), zip.zip64Extra);
    if (extra === undefined || taken + 8 > extra.length) throw fail("a zip entry lacks its 64-bit sizes");
    taken += 8;
    return readUint64(extra, taken - 8);
  };
  return { bytes: readSize(24), storedBytes: readSize(20), headerOffset: readSize(42) };
}

function refuseBomb(source: ByteSource, entries: readonly DirectoryEntry[], limit: number): void {
  let bytes = 0;
  for (const entry of entries) {
    if (entry.compressed) bytes += entry.bytes;
    if (bytes <= limit) continue;
    const where = `${source.name}, offset ${entry.directoryOffset}`;
    throw tooMuchOutput("BAD_FILE", { where, what: `the compressed entries up to ${entry.name}`, bytes, limit });
  }
}

/**
 * Entries by name, each with the start of the next one; two entries with the same name or overlapping data are refused.
 */
function indexEntries(source: ByteSource, entries: readonly DirectoryEntry[], end: number): Map<string, ZipEntry> {
  const byPlace = [...entries].sort((a, b) => a.headerOffset - b.headerOffset);
  const limits = new Map<DirectoryEntry, number>();
  for (const [i, entry] of byPlace.entries()) {
    const limit = byPlace[i + 1]?.headerOffset ?? end;
    // The header before the data has at least the name; its extra fields are checked when the data is read.
    const smallest = zip.localBytes + Buffer.byteLength(entry.name) + entry.storedBytes;
    if (entry.headerOffset + smallest > limit) {
      throw badFile(
        source.name,
        entry.headerOffset,
        `the zip entry ${entry.name} of ${entry.storedBytes} bytes overlaps what begins at ${limit}`,
      );
    }
    limits.set(entry, limit);
  }
  const index = new Map<string, ZipEntry>();
  for (const entry of entries) {
    const { directoryOffset, ...rest } = entry;
    if (index.has(entry.name))
      throw badFile(source.name, directoryOffset, `a second zip entry is called ${entry.name}`);
    index.set(entry.name, { ...rest, limit: limits.get(entry)! });
  }
  return index;
}
