import { crc32 } from "../../bytes/crc32.ts";
import { messageOf } from "../../errors/errors.ts";
import { refuseFile } from "../../formats/refuse-file.ts";
import type { IndexWriter } from "../index/index-writer.ts";
import { LineCollector, type ScannedChunk } from "./line-collector.ts";
import { type BlankLines, type ChunkLines, scanChunk } from "./scan-chunk.ts";
import { scanInThreads, scanThreads } from "./scan-in-threads.ts";

export interface LineRules {
  readonly maxLineBytes: number;
  /** Whether line breaks between quotes belong to a value, as in CSV. */
  readonly hasQuotes: boolean;
  readonly blank: BlankLines;
}

/** The text of a file, unpacked. */
export interface TextParts {
  readonly name: string;
  /** Part by part, in order. */
  readonly chunks: () => AsyncIterable<Buffer>;
  /** The file itself where it is here and not compressed: threads can scan it. */
  readonly plainFile?: { readonly size: number } | undefined;
}

/** What the footer of an index says about the text. */
export interface IndexedText {
  readonly textBytes: number;
  readonly crc: number;
}

/** Adds the rows of a text to an index. */
export async function indexLines(writer: IndexWriter, text: TextParts, rules: LineRules): Promise<IndexedText> {
  const collector = new LineCollector(text.name, rules.maxLineBytes, (start) => writer.addRow(start));
  const { plainFile } = text;
  const isThreaded = plainFile !== undefined && !rules.hasQuotes && scanThreads(plainFile.size) > 0;
  const parts = isThreaded
    ? threadParts(text, { size: plainFile.size, blank: rules.blank }, collector)
    : ownParts(text, rules, collector);
  for await (const part of parts) collector.add(part);
  return { textBytes: collector.offset, crc: collector.crc };
}

async function* ownParts(text: TextParts, { hasQuotes, blank }: LineRules, collector: LineCollector) {
  const quotes = hasQuotes ? new QuotedScanner() : undefined;
  let isFirst = true;
  for await (const chunk of text.chunks()) {
    const bytes = isFirst ? withoutMark(chunk, collector) : chunk;
    isFirst = false;
    yield { bytes: bytes.length, crc: crc32(bytes), lines: quotes?.scan(bytes) ?? scanChunk(bytes, blank) };
  }
  if (quotes?.isOpen === true) {
    throw refuseFile(text.name, collector.offset, "the file ends within quotes", {
      hint: "A quote that begins a value has no end. Where quotes are plain characters, read the file with openTsv.",
    });
  }
}

async function* threadParts(
  text: TextParts,
  { size, blank }: { readonly size: number; readonly blank: BlankLines },
  collector: LineCollector,
): AsyncGenerator<ScannedChunk> {
  for await (const first of text.chunks()) {
    withoutMark(first, collector);
    break;
  }
  try {
    yield* scanInThreads({ path: text.name, blank }, collector.offset, size);
  } catch (cause) {
    throw refuseFile(text.name, collector.offset, `cannot be read on: ${messageOf(cause)}`, { cause });
  }
}

const byteOrderMark: Buffer = Buffer.from([0xef, 0xbb, 0xbf]);

/** A byte order mark belongs to no row. */
function withoutMark(first: Buffer, collector: LineCollector): Buffer {
  if (!first.subarray(0, 3).equals(byteOrderMark)) return first;
  collector.skipMark(byteOrderMark);
  return first.subarray(3);
}

const [lineFeed, quote] = [10, 34];

/**
 * Finds the records of CSV: a line break between quotes belongs to a value. A doubled quote counts twice, so that an
 * even number of quotes before a line break means that it ends a record.
 */
class QuotedScanner {
  private isQuoted = false;

  scan(bytes: Buffer): ChunkLines {
    if (!this.isQuoted && bytes.indexOf(quote) === -1) return scanChunk(bytes, "empty");
    // A break inside of quotes is no break: the parts between the real ones are scanned.
    const masked = Buffer.from(bytes);
    for (let at = 0; at < masked.length; at++) {
      const byte = masked[at];
      if (byte === quote) this.isQuoted = !this.isQuoted;
      else if (this.isQuoted && byte === lineFeed) masked[at] = quote;
    }
    return scanChunk(masked, "empty");
  }

  /** Whether the text ends within quotes. */
  get isOpen(): boolean {
    return this.isQuoted;
  }
}
