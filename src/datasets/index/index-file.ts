import { closeSync } from "node:fs";
import { crc32 } from "../../bytes/crc32.ts";
import { isMillraceError } from "../../errors/errors.ts";
import { parseJson } from "../../formats/parse-json.ts";
import { refuseFile } from "../../formats/refuse-file.ts";
import { openRegularFile } from "../../input/open-regular-file.ts";
import { outputLimit } from "../../input/output-limit.ts";
import { closedFile, readExactly } from "../source/file-store.ts";
import { footerShape, type IndexFooter, type IndexSubject, indexMagic } from "./index-footer.ts";
import { decodePage, type IndexPage, pageRows } from "./index-page.ts";
import type { PageSource } from "./row-spans.ts";

const tailBytes = 16;
const maxFooterBytes = 1 << 20;

/** An index that is open for reading. */
export interface IndexFile extends PageSource {
  readonly footer: IndexFooter;
  /** Bytes that the format has put into the index. */
  readBytes(at: number, length: number): Buffer;
  close(): void;
}

/** Opens an index if it is whole and of this very file; undefined otherwise, and it is built again. */
export function openIndexFile(path: string, subject: IndexSubject): IndexFile | undefined {
  let opened: ReturnType<typeof openRegularFile>;
  try {
    opened = openRegularFile(path);
  } catch {
    return undefined;
  }
  let index: IndexFile | undefined;
  try {
    index = readIndex(opened, path);
    if (index !== undefined && isSame(index.footer.subject, subject)) return index;
    index = undefined;
  } catch (error) {
    // Another program may be at work on it, or the disk has lost a part: the file itself decides.
    if (!isMillraceError(error)) throw error;
  } finally {
    if (index === undefined) closeSync(opened.fd);
  }
  return undefined;
}

function isSame(a: IndexSubject, b: IndexSubject): boolean {
  return (["rules", "size", "version", "ends", "endian"] as const).every((key) => a[key] === b[key]);
}

function readIndex({ fd, sizeBytes: size }: ReturnType<typeof openRegularFile>, path: string): IndexFile | undefined {
  if (size < tailBytes + indexMagic.length) return undefined;
  const readBytes = (at: number, length: number): Buffer => {
    if (!(at >= 0 && length >= 0 && at + length <= size)) throw damagedIndex(path, at);
    const bytes = Buffer.allocUnsafeSlow(length);
    readExactly(fd, bytes, { offset: at, path });
    return bytes;
  };
  const tail = readBytes(size - tailBytes, tailBytes);
  const length = tail.readUInt32LE(0);
  if (tail.toString("latin1", 8) !== indexMagic || length > maxFooterBytes) return undefined;
  const text = readBytes(size - tailBytes - length, length);
  if (crc32(text) !== tail.readUInt32LE(4)) return undefined;
  const footer = parseJson(text.toString("utf8"), {
    file: path,
    offset: size - tailBytes - length,
    what: "the footer of an index",
    limit: outputLimit(size),
  });
  if (!isFooter(footer)) return undefined;
  const { rows, directory } = footer;
  const pages = Math.ceil(rows / pageRows);
  const places = new Float64Array(new Uint8Array(readBytes(directory, pages * 16)).buffer);
  let isOpen = true;
  return {
    rows,
    footer,
    readBytes,
    readPage: (number) => {
      // Its number may be another file's by now.
      if (!isOpen) throw closedFile(path);
      const expected = number === pages - 1 ? rows - number * pageRows : pageRows;
      const page = decodePage(readBytes(places[2 * number]!, places[2 * number + 1]!), expected);
      if (page === undefined || !isWithin(page, footer)) throw damagedIndex(path, places[2 * number]!);
      return page;
    },
    close: () => {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}

function isFooter(value: unknown): value is IndexFooter {
  return footerShape.check(value, []).length === 0;
}

/** An index may come from elsewhere with its file: its offsets must not lead out of the text. */
function isWithin({ base, offsets, lengths }: IndexPage, { textBytes }: IndexFooter): boolean {
  let at = base;
  if (offsets.length === 0) for (const length of lengths) at += length;
  else if (offsets.some((offset, i) => i > 0 && !(offset >= offsets[i - 1]!))) return false;
  return base >= 0 && (offsets.at(-1) ?? at) <= textBytes;
}

function damagedIndex(path: string, at: number): Error {
  return refuseFile(path, at, "the index of a dataset is damaged", {
    hint: "Delete it: it is built again when the file is opened.",
  });
}
