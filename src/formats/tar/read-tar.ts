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
export function* readTar(input: Bytes): Generator<TarEntry> {
  const source = toByteSource(input);
  let shared: Extra = {};
  let own: Extra = {};
  for (let at = 0; ; ) {
    const block = readBytes(source, at, blockBytes, "a header (or the two empty blocks at the end)");
    if (block[0] === 0 && block.every((byte) => byte === 0)) return;
    checkSum(block, at, source);
    const type = String.fromCharCode(block[fields.type[0]]!);
    const extra = type === "x" || type === "g" || type === "L" || type === "K";
    const name = extra ? "" : checkName(own.path ?? shared.path ?? nameOf(block, at, source), at, source);
    const noted = extra ? sizeOf(block, at, source) : (own.size ?? shared.size ?? sizeOf(block, at, source));
    const kind = kindOf(type, name);
    const size = !extra && isWithoutContent(type, kind) ? 0 : noted;
    const offset = at + blockBytes;
    requireBytes(source, offset, size, "the content of an entry");
    at = offset + paddedBytes(size);
    if (!extra) {
      if (type === "S") throw refuseFile(source.name, offset - blockBytes, "a sparse file, which is not read");
      yield entryAt(source, { name, kind, offset, sizeBytes: size });
      own = {};
      continue;
    }
    const content = readExtra(source, offset, size);
    if (type === "g") shared = { ...shared, ...parsePax(content, offset, source.name) };
    else if (type === "x") own = { ...own, ...parsePax(content, offset, source.name) };
    else if (type === "L") own = { ...own, path: textOf(content, offset, source) };
  }
}

function entryAt(source: ByteSource, entry: Omit<TarEntry, "read">): TarEntry {
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

function checkName(name: string, at: number, source: ByteSource): string {
  const problem = problemOfTarName(name);
  if (problem === undefined) return name;
  throw refuseFile(source.name, at, `the name ${JSON.stringify(name.slice(0, 200))} of an entry ${problem}`);
}

function checkSum(block: Uint8Array, at: number, source: ByteSource): void {
  const [start, length] = fields.checksum;
  const noted = octal(block.subarray(start, start + length));
  if (noted !== sumHeader(block)) throw refuseFile(source.name, at, "no header of tar: its checksum is wrong");
}

function sizeOf(block: Uint8Array, at: number, source: ByteSource): number {
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

function nameOf(block: Uint8Array, at: number, source: ByteSource): string {
  const text = (field: readonly [number, number]): string =>
    textOf(block.subarray(field[0], field[0] + field[1]), at + field[0], source);
  const name = text(fields.name);
  // GNU's magic has spaces here, and other fields at the position of the prefix.
  const hasPrefix = String.fromCharCode(...block.subarray(257, 263)) === "ustar\0" && block[fields.prefix[0]] !== 0;
  return hasPrefix ? `${text(fields.prefix)}/${name}` : name;
}

function textOf(bytes: Uint8Array, at: number, source: ByteSource): string {
  const end = bytes.indexOf(0);
  const text = end === -1 ? bytes : bytes.subarray(0, end);
  if (!isUtf8(text)) throw refuseFile(source.name, at, "the name of an entry is not UTF-8");
  return Buffer.from(text.buffer, text.byteOffset, text.length).toString("utf8");
}

function readExtra(source: ByteSource, offset: number, size: number): Uint8Array {
  if (size > maxExtraBytes) throw refuseFile(source.name, offset, `an extended header of ${size} bytes is too long`);
  return readBytes(source, offset, size, "an extended header");
}
