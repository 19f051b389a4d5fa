import type { LeafColumn } from "./check-metadata.ts";
import type { PageHeader } from "./page-header.ts";

/** The approximate memory of one value, in bytes. The characters of strings and bytes are in the page as well. */
const valueBytes: Readonly<Record<string, number>> = {
  BOOLEAN: 8,
  INT32: 16,
  FLOAT: 16,
  DOUBLE: 16,
  INT64: 40,
  INT96: 64,
};
const textBytes = 32;
/** A view of bytes: each value that is not a number is one before it becomes a string. */
const viewBytes = 160;
/** A list, or an object of a nested column. */
const containerBytes = 64;
/** A repeated dictionary value: only its reference. */
const placeBytes = 8;

const dictionaryEncodings: readonly number[] = [2, 8];

/** What the values of a page take in memory. */
export function pageCost(page: PageHeader, leaf: LeafColumn): number {
  const each = isShared(page) ? placeBytes : (valueBytes[leaf.type] ?? (leaf.isText ? textBytes : viewBytes));
  // There are at most as many inner lists as values; the outer ones are as many as the rows.
  const lists = page.kind === "dictionary" ? 0 : Math.max(0, leaf.maxRepetition - 1) * containerBytes;
  return page.uncompressedBytes + page.values * (each + lists);
}

/** What a page takes while it is decoded: its levels, and a view of each string. */
export function decodingCost(page: PageHeader, leaf: LeafColumn): number {
  const levels = (leaf.maxDefinition > 0 ? placeBytes : 0) + (leaf.maxRepetition > 0 ? placeBytes : 0);
  const view = isShared(page) || valueBytes[leaf.type] !== undefined ? 0 : viewBytes;
  return page.values * (levels + view);
}

/** True if the values of a page are indices of the dictionary. */
function isShared({ kind, encoding }: PageHeader): boolean {
  return kind !== "dictionary" && dictionaryEncodings.includes(encoding);
}

/** What the rows of a column take besides its values: an object or list for each level of its path. */
export function nestingCost(rows: number, leaf: LeafColumn): number {
  return rows * containerBytes * (leaf.depth - 1);
}
