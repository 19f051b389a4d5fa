import { type ChunkLines, scanChunk } from "./scan-chunk.ts";

const [lineFeed, quote] = [10, 34];

/**
 * Finds the records of CSV: a line break between quotes belongs to a value. A doubled quote counts twice, so that an even number
 * of quotes before a line break means that it ends a record.
 */
export class QuotedScanner {
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
