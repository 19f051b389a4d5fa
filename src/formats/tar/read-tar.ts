import { isUtf8 } from "node:buffer";
import { type ByteSource, type Bytes, toByteSource } from "../byte-source.ts";
import { readBytes, requireBytes } from "../read-bytes.ts";
import { refuseFile } from "../refuse-file.ts";
import { parsePax } from "./parse-pax.ts";
import { blockBytes, fields, paddedBytes, problemOfTarName, sumHeader } from "./tar-layout.ts";

/** One file within a tar archive. */
export interface TarEntry {
  readonly name: string;
  /** Links, devices and directories have no content. */
  readonly kind: "file" | "directory" | "hard-link" | "symbolic-link" | "other";
  /** The offset of the content in the archive. */
  readonly offset: number;
  readonly sizeBytes: number;
  /** A copy of the content. */
  read(): Uint8Array;
}

/** Extended headers contain names and numbers; more than this is an attack or damage. */
const maxExtraBytes = 1 << 20;

/** The values of extended headers for the next entry. */
interface Extra {
  readonly path?: string;
  readonly size?: number;
}

/** The entries of an archive in order: ustar, pax and GNU. Contents are read on demand. */
export function readTar(input: Bytes): Generator<TarEntry> {
  const source = toByteSource(input);
  return readEntries(source, source);
}

/** The entries from a header at `start` to the end of the source, which is a part of an archive. */
export function readTarPart(source: ByteSource, start: number): Generator<TarEntry> {
  return readEntries(source, { name: source.name, size: source.size, start, isPart: true });
}

function* readEntries(source: ByteSource, part: TarPart): Generator<TarEntry> {
  const steps = walkTar(part);
  for (let step = steps.next(); step.done !== true; ) {
    const { value } = step;
    if ("kind" in value) {
      yield entryAt(source, value);
      step = steps.next(nothing);
    } else step = steps.next(readBytes(source, value.offset, value.length, value.what));
  }
}

/** A piece that the walk over an archive needs next. */
export interface TarRequest {
  readonly offset: number;
  readonly length: number;
  readonly what: string;
}

/** An entry, and where its first header is: extended headers come before it. */
export interface WalkedEntry extends Omit<TarEntry, "read"> {
  readonly headerOffset: number;
}

/** Which part of an archive is walked. */
export interface TarPart {
  readonly name: string;
  readonly size: number;
  /** Where the first header is. Default: 0. */
  readonly start?: number;
  /** Entries end here without the two empty blocks, and a header for all further entries is refused. */
  readonly isPart?: boolean;
}

const nothing = new Uint8Array(0);

/**
 * The walk over the headers of an archive, without reading: it yields what it needs, gets the bytes, and yields each entry.
 * So files of this machine and of another one are read by the same code.
 */
export function* walkTar(source: TarPart): Generator<TarRequest | WalkedEntry, void, Uint8Array> {
  let shared: Extra = {};
  let ofEntry: Extra = {};
  let headerOffset = source.start ?? 0;
  for (let at = headerOffset; ; ) {
    if (source.isPart === true && at >= source.size) return;
    const what = "a header (or the two empty blocks at the end)";
    requireBytes(source, at, blockBytes, what);
    const block = yield { offset: at, length: blockBytes, what };
    if (block[0] === 0 && block.every((byte) => byte === 0)) return;
    checkSum(block, at, source);
    const type = String.fromCharCode(block[fields.type[0]]!);
    const extra = type === "x" || type === "g" || type === "L" || type === "K";
    const name = extra ? "" : checkName(ofEntry.path ?? shared.path ?? nameOf(block, at, source), at, source);
    const noted = extra ? sizeOf(block, at, source) : (ofEntry.size ?? shared.size ?? sizeOf(block, at, source));
    const kind = kindOf(type, name);
    const size = !extra && isWithoutContent(type, kind) ? 0 : noted;
    const offset = at + blockBytes;
    requireBytes(source, offset, size, "the content of an entry");
    at = offset + paddedBytes(size);
    if (!extra) {
      if (type === "S") throw refuseFile(source.name, offset - blockBytes, "a sparse file, which is not read");
      yield { name, kind, offset, sizeBytes: size, headerOffset };
      ofEntry = {};
      headerOffset = at;
      continue;
    }
    if (size > maxExtraBytes) throw refuseFile(source.name, offset, `an extended header of ${size} bytes is too long`);
    const content = yield { offset, length: size, what: "an extended header" };
    if (type === "g") {
      shared = { ...shared, ...parsePax(content, offset, source.name) };
      if (source.isPart === true && Object.keys(shared).length > 0)
        throw refuseFile(source.name, offset, "a header gives all further entries one name or size");
    } else if (type === "x") ofEntry = { ...ofEntry, ...parsePax(content, offset, source.name) };
    else if (type === "L") ofEntry = { ...ofEntry, path: textOf(content, offset, source) };
  }
}

function entryAt(source: ByteSource, { headerOffset: _headerOffset, ...entry }: WalkedEntry): TarEntry {
  const { name, offset, sizeBytes } = entry;
  return {
    ...entry,
    read: () => readBytes(source, offset, sizeBytes, `the content of ${JSON.stringify(name)}`),
  };
}

function kindOf(type: string, name: string): TarEntry["kind"] {
  if (type === "1") return "hard-link";
  if (type === "2") return "symbolic-link";
  const isFile = type === "0" || type === "\0" || type === "7";
  if (type === "5" || (isFile && name.endsWith("/"))) return "directory";
  return isFile ? "file" : "other";
}

/**
 * True if the next header follows directly, whatever the size says: old programs store the size of a link's target.
 * Skipping that much would hide the entries after it.
 */
function isWithoutContent(type: string, kind: TarEntry["kind"]): boolean {
  return (type >= "1" && type <= "6") || kind === "directory";
}

function checkName(name: string, at: number, source: TarPart): string {
  const problem = problemOfTarName(name);
  if (problem === undefined) return name;
  throw refuseFile(source.name, at, `the name ${JSON.stringify(name.slice(0, 200))} of an entry ${problem}`);
}

function checkSum(block: Uint8Array, at: number, source: TarPart): void {
  const [start, length] = fields.checksum;
  const noted = octal(block.subarray(start, start + length));
  if (noted !== sumHeader(block)) throw refuseFile(source.name, at, "no header of tar: its checksum is wrong");
}

function sizeOf(block: Uint8Array, at: number, source: TarPart): number {
  const [start, length] = fields.size;
  const field = block.subarray(start, start + length);
  const size = field[0]! & 0x80 ? base256(field) : octal(field);
  if (size === undefined) throw refuseFile(source.name, at + start, "the size of an entry is not a number");
  return size;
}

function octal(field: Uint8Array): number | undefined {
  const text = String.fromCharCode(...field)
    .replace(/[\0 ]+$/, "")
    .trimStart();
  return /^[0-7]*$/.test(text) ? Number.parseInt(text || "0", 8) : undefined;
}

/** GNU's form of numbers that are too large for octal digits. */
function base256(field: Uint8Array): number | undefined {
  const value = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0);
  return field[0] === 0x80 && Number.isSafeInteger(value) ? value : undefined;
}

function nameOf(block: Uint8Array, at: number, source: TarPart): string {
  const text = (field: readonly [number, number]): string =>
    textOf(block.subarray(field[0], field[0] + field[1]), at + field[0], source);
  const name = text(fields.name);
  // GNU's magic has spaces here, and other fields at the position of the prefix.
  const hasPrefix = String.fromCharCode(...block.subarray(257, 263)) === "ustar\0" && block[fields.prefix[0]] !== 0;
  return hasPrefix ? `${text(fields.prefix)}/${name}` : name;
}

function textOf(bytes: Uint8Array, at: number, source: TarPart): string {
  const end = bytes.indexOf(0);
  const text = end === -1 ? bytes : bytes.subarray(0, end);
  if (!isUtf8(text)) throw refuseFile(source.name, at, "the name of an entry is not UTF-8");
  return Buffer.from(text.buffer, text.byteOffset, text.length).toString("utf8");
}
