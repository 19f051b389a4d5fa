import type { ByteCursor } from "../byte-cursor.ts";
import type { NdArray } from "../nd-array.ts";
import type { KaldiTextOptions, KaldiValue } from "./kaldi-value.ts";

const [tab, newline, carriageReturn, space, semicolon, open, close] = [9, 10, 13, 32, 59, 91, 93];

/** A value in text: `[ 1 2 ]`, `[` and rows on separate lines and `]`, or integers up to the end of the line. */
export function readTextValue(cursor: ByteCursor, options: KaldiTextOptions = {}): KaldiValue {
  skipBlanks(cursor);
  if (cursor.atEnd) throw cursor.bad("the file ends after a key, before its value");
  const value = cursor.peek() === open ? readBracketed(cursor, options) : readIntegers(cursor);
  skipBlanks(cursor);
  const end = cursor.next();
  if (end !== newline && end !== -1) throw cursor.bad("a line break should follow the value", cursor.position - 1);
  return value;
}

function isBlank(byte: number): boolean {
  return byte === space || byte === tab || byte === carriageReturn;
}

function skipBlanks(cursor: ByteCursor): void {
  while (isBlank(cursor.peek())) cursor.next();
}

function readBracketed(cursor: ByteCursor, options: KaldiTextOptions): KaldiValue {
  const start = cursor.position;
  cursor.next();
  const dtype = options.textFloat ?? "float32";
  const numbers = new (dtype === "float64" ? Float64Array : Float32Array)(countWords(cursor, close));
  let filled = 0;
  const rows = { count: 0, length: -1, begin: 0, opensWithBreak: false };
  const endRow = (): void => {
    const length = filled - rows.begin;
    if (length === 0) return;
    if (rows.length !== -1 && rows.length !== length) {
      throw cursor.bad(`row ${rows.count} has ${length} numbers, and the rows before it have ${rows.length}`);
    }
    Object.assign(rows, { count: rows.count + 1, length, begin: filled });
  };
  for (;;) {
    const byte = cursor.peek();
    if (byte === -1) throw cursor.bad("the file ends within a value: its ] is missing", start);
    if (isBlank(byte)) {
      cursor.next();
    } else if (byte === newline || byte === semicolon) {
      rows.opensWithBreak ||= filled === 0;
      endRow();
      cursor.next();
    } else if (byte === close) {
      endRow();
      cursor.next();
      break;
    } else {
      numbers[filled++] = readNumber(cursor);
    }
  }
  const isMatrix =
    options.textKind === undefined ? rows.opensWithBreak || rows.count > 1 : options.textKind === "matrix";
  if (!isMatrix && rows.count > 1) throw cursor.bad(`a vector has one row, and this has ${rows.count}`, start);
  const shape = isMatrix ? [rows.count, Math.max(0, rows.length)] : [filled];
  return { dtype, shape, data: numbers } as KaldiValue;
}

/**
 * The number of words before a byte, or before the end of the file, without moving the cursor. A growing list would
 * take several times the memory of the numbers.
 */
function countWords(cursor: ByteCursor, last: number): number {
  const start = cursor.position;
  let [count, isWithin] = [0, false];
  for (let byte = cursor.peek(); byte !== -1 && byte !== last; byte = cursor.peek()) {
    const isGap = isBlank(byte) || byte === newline || byte === semicolon;
    if (!isGap && !isWithin) count++;
    isWithin = !isGap;
    cursor.next();
  }
  cursor.position = start;
  return count;
}

function readWord(cursor: ByteCursor): string {
  let word = "";
  for (;;) {
    const byte = cursor.peek();
    if (byte === -1 || isBlank(byte) || byte === newline || byte === semicolon || byte === close) return word;
    if (byte < 0x21 || byte > 0x7e || word.length === 100) throw cursor.bad("a number is expected here");
    word += String.fromCharCode(byte);
    cursor.next();
  }
}

const specialNumbers: Readonly<Record<string, number>> = { inf: Infinity, infinity: Infinity, nan: NaN };

function readNumber(cursor: ByteCursor): number {
  const start = cursor.position;
  const word = readWord(cursor);
  const value = /^[-+.\deE]+$/.test(word) ? Number(word) : NaN;
  if (!Number.isNaN(value)) return value;
  const [, sign, name] = /^([-+]?)([a-z]+)$/i.exec(word) ?? [];
  const special = name === undefined ? undefined : specialNumbers[name.toLowerCase()];
  if (special === undefined) throw cursor.bad(`${JSON.stringify(word)} is not a number`, start);
  return sign === "-" ? -special : special;
}

function readIntegers(cursor: ByteCursor): NdArray<"int32"> {
  const numbers = new Int32Array(countWords(cursor, newline));
  for (let i = 0; ; i++) {
    skipBlanks(cursor);
    const start = cursor.position;
    if (cursor.peek() === newline || cursor.peek() === -1) break;
    const word = readWord(cursor);
    const value = /^-?\d+$/.test(word) ? Number(word) : NaN;
    if (value !== (value | 0)) {
      throw cursor.bad(`${JSON.stringify(word)} is no int32, and floats must be in [ ]`, start);
    }
    // Not -0: an integer has none.
    numbers[i] = value | 0;
  }
  return { dtype: "int32", shape: [numbers.length], data: numbers };
}

/** The text of a value in Kaldi's layout, with as many digits as are needed to restore the same number. */
export function formatTextValue({ dtype, shape, data }: KaldiValue): string {
  if (dtype === "int32") return `${[...data].join(" ")}\n`;
  const write = dtype === "float32" ? formatFloat32 : formatFloat64;
  if (shape.length === 1 || data.length === 0) return ` [ ${Array.from(data, (x) => `${write(x)} `).join("")}]\n`;
  const columns = shape[1]!;
  let text = " [";
  for (let row = 0; row < shape[0]!; row++) {
    text += `\n  ${Array.from(data.subarray(row * columns, (row + 1) * columns), write).join(" ")} `;
  }
  return `${text}]\n`;
}

function formatFloat64(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0" : String(value);
  if (Number.isNaN(value)) return "nan";
  return value < 0 ? "-inf" : "inf";
}

/** Nine digits are always enough for a float32, usually fewer are. */
function formatFloat32(value: number): string {
  if (!Number.isFinite(value) || value === 0) return formatFloat64(value);
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(9)));
}
