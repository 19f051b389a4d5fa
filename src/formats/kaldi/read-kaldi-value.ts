import { ByteCursor } from "../byte-cursor.ts";
import { type Bytes, toByteSource } from "../byte-source.ts";
import { readBinaryValue } from "./binary-value.ts";
import { type KaldiRange, selectRange } from "./kaldi-range.ts";
import type { KaldiTextOptions, KaldiValue } from "./kaldi-value.ts";
import { readTextValue } from "./text-value.ts";

/** Which part of a value is read. */
export interface ReadKaldiValueOptions extends KaldiTextOptions {
  /** The part to read, in the syntax of an scp line: `parseKaldiRange("0:9,2:3")`. */
  readonly range?: KaldiRange;
}

/** The value at an offset, as in an scp line (`file.ark:123`); offset 0 for a file with only one value. */
export function readKaldiValue(input: Bytes, offset = 0, options: ReadKaldiValueOptions = {}): KaldiValue {
  const source = toByteSource(input);
  const cursor = new ByteCursor(source, offset);
  if (offset >= source.size) throw cursor.bad(`a value should begin here, and the file has ${source.size} bytes`);
  const value = readValueAt(cursor, options);
  return options.range === undefined ? value : selectRange(value, options.range, `${source.name}:${offset}`);
}

/** Binary values begin with a zero byte and a B; everything else is text. */
export function readValueAt(cursor: ByteCursor, options: KaldiTextOptions): KaldiValue {
  if (cursor.peek() !== 0) return readTextValue(cursor, options);
  const start = cursor.position;
  cursor.next();
  if (cursor.next() !== 0x42) throw cursor.bad("a zero byte should be followed by B, as binary values are", start);
  return readBinaryValue(cursor);
}
