import { crc32 } from "../../bytes/crc32.ts";

/** Rows of a page of the index: a page is what is read, checked and kept at once. */
export const pageRows = 4096;

const headerBytes = 24;
const anchorRows = 32;
const [narrow, wide] = [1, 2];

/**
 * The bounds of up to 4096 rows. Rows below 64 KiB take two bytes each, with an offset every 32 rows; a page with a longer row
 * holds the offsets themselves.
 */
export interface IndexPage {
  readonly rows: number;
  readonly base: number;
  /** The offset of every 32nd row from `base`; empty in a page of offsets. */
  readonly anchors: Uint32Array;
  readonly lengths: Uint16Array;
  readonly offsets: Float64Array;
}

/** A page from the bounds of its rows: one more than rows, the last is where its last row ends. */
export function encodePage(bounds: Float64Array): Buffer {
  const rows = bounds.length - 1;
  const base = bounds[0]!;
  let longest = 0;
  for (let row = 0; row < rows; row++) longest = Math.max(longest, bounds[row + 1]! - bounds[row]!);
  const isNarrow = longest < 65536;
  const page = new ArrayBuffer(isNarrow ? narrowBytes(rows) : wideBytes(rows));
  if (isNarrow) {
    const { anchors, lengths } = narrowParts(page, rows);
    for (let row = 0; row < rows; row++) {
      if (row % anchorRows === 0) anchors[row / anchorRows] = bounds[row]! - base;
      lengths[row] = bounds[row + 1]! - bounds[row]!;
    }
  } else new Float64Array(page, headerBytes).set(bounds);
  const view = new DataView(page);
  view.setUint32(0, isNarrow ? narrow : wide, true);
  view.setUint32(4, rows, true);
  view.setFloat64(16, base, true);
  view.setUint32(8, pageCrc(page), true);
  return Buffer.from(page);
}

/** A page as it was written; undefined if its bytes are not those of a page of this many rows. */
export function decodePage(bytes: Buffer, rows: number): IndexPage | undefined {
  if (bytes.length < headerBytes) return undefined;
  // A copy of its own: arrays of numbers need an aligned beginning.
  const page = new Uint8Array(bytes).buffer;
  const view = new DataView(page);
  const kind = view.getUint32(0, true);
  const size = kind === narrow ? narrowBytes(rows) : kind === wide ? wideBytes(rows) : -1;
  if (page.byteLength !== size || view.getUint32(4, true) !== rows) return undefined;
  if (view.getUint32(8, true) !== pageCrc(page)) return undefined;
  const base = view.getFloat64(16, true);
  if (kind === narrow) return { rows, base, ...narrowParts(page, rows), offsets: new Float64Array(0) };
  const none = { anchors: new Uint32Array(0), lengths: new Uint16Array(0) };
  return { rows, base, ...none, offsets: new Float64Array(page, headerBytes, rows + 1) };
}

/** Where a row of the page begins; `row` may be `rows`, for the end of the last. */
export function boundOf(page: IndexPage, row: number): number {
  const { offsets, anchors, lengths, base, rows } = page;
  if (offsets.length > 0) return offsets[row]!;
  // The end of a page has no anchor of its own.
  const anchor = Math.min(row >> 5, (rows - 1) >> 5);
  let at = base + anchors[anchor]!;
  for (let before = anchor << 5; before < row; before++) at += lengths[before]!;
  return at;
}

function narrowBytes(rows: number): number {
  return headerBytes + 4 * Math.ceil(rows / anchorRows) + 2 * rows;
}

function wideBytes(rows: number): number {
  return headerBytes + 8 * (rows + 1);
}

function narrowParts(page: ArrayBuffer, rows: number): { anchors: Uint32Array; lengths: Uint16Array } {
  const anchors = new Uint32Array(page, headerBytes, Math.ceil(rows / anchorRows));
  return { anchors, lengths: new Uint16Array(page, headerBytes + anchors.byteLength, rows) };
}

/** Of all but the field that holds it. */
function pageCrc(page: ArrayBuffer): number {
  return crc32(new Uint8Array(page, 12), crc32(new Uint8Array(page, 0, 8)));
}
