import { isUtf8 } from "node:buffer";
import { badFile } from "../bad-file.ts";
import { type ByteSource, type Bytes, toByteSource } from "../byte-source.ts";
import { findZipDirectory } from "./find-zip-directory.ts";
import { findExtra, problemOfName, readUint64, zip } from "./zip-records.ts";

/** One file in an archive, as the directory at the archive's end describes it. */
export interface ZipEntry {
  readonly name: string;
  readonly compressed: boolean;
  readonly crc32: number;
  /** How many bytes it takes in the archive, and how many it is. */
  readonly storedBytes: number;
  readonly bytes: number;
  readonly headerOffset: number;
  /** Where the next entry, or the directory, begins: the data must end there. */
  readonly limit: number;
}

/** A zip archive that is read entry by entry. */
export interface ZipArchive {
  readonly source: ByteSource;
  /** By name, in the order of the directory. */
  readonly entries: ReadonlyMap<string, ZipEntry>;
}

/** What errors call a zip archive, and how much it may unpack to before it is refused. */
export interface ZipOptions {
  /** What errors call the archive, where it is bytes in memory. */
  readonly name?: string;
  /**
   * An archive whose compressed entries say that they unpack to more than this in sum is refused. Default: the larger of
   * 64 MiB and 100 times the size of the archive.
   */
  readonly maxInflatedBytes?: number;
}

interface DirectoryEntry extends Omit<ZipEntry, "limit"> {
  readonly directoryOffset: number;
}

/** Reads the directory of a ZIP archive and checks all of it; the data of an entry is read when asked for. */
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
  refuseBomb(source, found, options.maxInflatedBytes ?? Math.max(64 * 2 ** 20, 100 * source.size));
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

/** Sizes and place; those that do not fit into 32 bits stand in an extra field, in this order, and only those. */
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

function refuseBomb(source: ByteSource, entries: readonly DirectoryEntry[], maxInflatedBytes: number): void {
  let sum = 0;
  for (const { compressed, bytes, name, directoryOffset } of entries) {
    if (compressed) sum += bytes;
    if (sum <= maxInflatedBytes) continue;
    throw badFile(
      source.name,
      directoryOffset,
      `the compressed entries up to ${name} would unpack to ${sum} bytes, more than the ${maxInflatedBytes} allowed`,
      "If you trust the file, raise maxInflatedBytes.",
    );
  }
}

/** Entries by name, each with the place where the next one begins; two of one name or in one place are refused. */
function indexEntries(source: ByteSource, entries: readonly DirectoryEntry[], end: number): Map<string, ZipEntry> {
  const byPlace = [...entries].sort((a, b) => a.headerOffset - b.headerOffset);
  const limits = new Map<DirectoryEntry, number>();
  for (const [i, entry] of byPlace.entries()) {
    const limit = byPlace[i + 1]?.headerOffset ?? end;
    // The header in front of the data holds at least the name; its extra fields are looked at when the data is read.
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
