import { PageError } from "./page-error.ts";

/** The result of a walk over runs. */
export interface Runs {
  readonly end: number;
  readonly highest: number;
  /** The number of values equal to the requested one. */
  readonly equal: number;
}

/**
 * Walks over run-length encoded and bit-packed numbers (levels, dictionary indices). The library repeats a value as
 * often as a run says, whatever the page contains, so a run that is longer than the page is refused here.
 */
export function walkRuns(bytes: Uint8Array, start: number, width: number, count: number, asked: number): Runs {
  let at = start;
  let [highest, equal] = [0, 0];
  const note = (value: number, times: number): void => {
    if (value > highest) highest = value;
    if (value === asked) equal += times;
  };
  for (let seen = 0; seen < count; ) {
    const header = varint32(bytes, at);
    at = header.end;
    const length = header.value >>> 1;
    if ((header.value & 1) === 0) {
      if (length === 0 || length > count - seen)
        throw new PageError(`has a run of ${length} where ${count - seen} are left`);
      note(numberAt(bytes, at, width), length);
      at += (width + 7) >> 3;
      seen += length;
    } else {
      if (length === 0 || width === 0 || length * width > bytes.length - at)
        throw new PageError("has packed numbers beyond its end");
      const packed = Math.min(length * 8, count - seen);
      for (let i = 0; i < packed; i++) note(bitsAt(bytes, at, i * width, width), 1);
      at += length * width;
      seen += length * 8;
    }
  }
  return { end: at, highest, equal };
}

function numberAt(bytes: Uint8Array, at: number, width: number): number {
  let value = 0;
  for (let i = 0; i < (width + 7) >> 3; i++) value += (bytes[at + i] ?? 0) * 2 ** (8 * i);
  return value;
}

function bitsAt(bytes: Uint8Array, at: number, bit: number, width: number): number {
  let value = 0;
  for (let got = 0; got < width; ) {
    const place = bit + got;
    const take = Math.min(8 - (place & 7), width - got);
    const part = ((bytes[at + (place >> 3)] ?? 0) >> (place & 7)) & ((1 << take) - 1);
    value += part * 2 ** got;
    got += take;
  }
  return value;
}

/** A number in groups of seven bits. Valid ones here are far below 2^28. */
function varint32(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let at = start; at < start + 4; at++) {
    const byte = bytes[at];
    if (byte === undefined) throw new PageError("ends within a number");
    value |= (byte & 127) << (7 * (at - start));
    if (byte < 128) return { value, end: at + 1 };
  }
  throw new PageError("has a number that is too long");
}

/** Walks over delta-packed numbers; the library trusts the sizes of blocks and the lengths of numbers. */
export function walkDelta(bytes: Uint8Array, start: number, count: number): void {
  const block = varint32(bytes, start);
  const parts = varint32(bytes, block.end);
  const perPart = block.value / parts.value;
  if (!(Number.isInteger(perPart / 8) && perPart > 0 && parts.value <= 512 && block.value <= 65_536)) {
    throw new PageError(`has blocks of ${block.value} in ${parts.value} parts`);
  }
  let at = skipLong(bytes, varint32(bytes, parts.end).end);
  for (let seen = 1; seen < count; ) {
    const widths = skipLong(bytes, at);
    at = widths + parts.value;
    for (let i = 0; i < parts.value && seen < count; i++, seen += perPart)
      at += (perPart / 8) * (bytes[widths + i] ?? 0);
  }
  // Truncated numbers at the end are found by the library itself.
}

function skipLong(bytes: Uint8Array, start: number): number {
  for (let at = start; at < start + 10; at++) {
    const byte = bytes[at];
    if (byte === undefined) throw new PageError("ends within a number");
    if (byte < 128) return at + 1;
  }
  throw new PageError("has a number that is too long");
}
