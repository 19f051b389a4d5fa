import { ByteCursor } from "../byte-cursor.ts";
import { type Bytes, toByteSource } from "../byte-source.ts";
import type { KaldiTextOptions, KaldiValue } from "./kaldi-value.ts";
import { readValueAt } from "./read-kaldi-value.ts";

/** One entry of an archive. */
export interface ArkEntry {
  readonly key: string;
  readonly value: KaldiValue;
  /** The offset of the value: the number after the colon of an scp line. */
  readonly offset: number;
}

const longestKeyBytes = 4096;
const decoder = new TextDecoder("utf-8", { fatal: true });

/** The entries of an archive, one after the other; one value is in memory at a time. */
export function* readArk(input: Bytes, options: KaldiTextOptions = {}): Generator<ArkEntry> {
  const cursor = new ByteCursor(toByteSource(input));
  for (;;) {
    while (isSpace(cursor.peek())) cursor.next();
    if (cursor.atEnd) return;
    const key = readKey(cursor);
    const offset = cursor.position;
    yield { key, offset, value: readValueAt(cursor, options) };
  }
}

function isSpace(byte: number): boolean {
  return byte === 32 || (byte >= 9 && byte <= 13);
}

function readKey(cursor: ByteCursor): string {
  const start = cursor.position;
  const bytes: number[] = [];
  while (!isSpace(cursor.peek())) {
    const byte = cursor.next();
    if (byte === -1) throw cursor.bad("the file ends after a key, before its value", start);
    if (byte < 0x21 || bytes.length === longestKeyBytes) throw cursor.bad("a key is expected here", start);
    bytes.push(byte);
  }
  // A line break is not consumed: it ends an empty vector in text.
  if (cursor.peek() !== 10) cursor.next();
  try {
    return decoder.decode(Uint8Array.from(bytes));
  } catch {
    throw cursor.bad("the key is not UTF-8", start);
  }
}
