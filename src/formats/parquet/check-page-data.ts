import type { LeafColumn } from "./check-metadata.ts";
import { PageError } from "./page-error.ts";
import type { PageHeader } from "./page-header.ts";
import { walkDelta, walkRuns } from "./runs.ts";

/** Decompresses into exactly `length` bytes. */
export type Inflate = (bytes: Uint8Array, length: number) => Uint8Array;

/** Numbers of encodings in the format's list. */
const encodings = { plain: 0, plainDictionary: 2, rle: 3, delta: 5, deltaLength: 6, dictionary: 8, split: 9 } as const;

const elementBytes: Readonly<Record<string, number>> = { INT32: 4, INT64: 8, FLOAT: 4, DOUBLE: 8 };

/** Checks what the library would trust of a page: levels within their limits, runs within the page. */
export function checkPageData(
  page: PageHeader,
  bytes: Uint8Array,
  leaf: LeafColumn,
  dictionaryValues: number | undefined,
  inflate: Inflate,
): void {
  if (page.kind === "dictionary") return;
  const { data, defined } =
    page.kind === "data" ? levelsV1(page, bytes, leaf, inflate) : levelsV2(page, bytes, leaf, inflate);
  checkValues(page, data, leaf, defined, dictionaryValues);
}

/** The bytes after the levels, and the number of values that are not null. */
interface PageValues {
  readonly data: Uint8Array;
  readonly defined: number;
}

function levelsV1(page: PageHeader, bytes: Uint8Array, leaf: LeafColumn, inflate: Inflate): PageValues {
  const data = inflate(bytes, page.uncompressedBytes);
  let at = 0;
  let defined = page.values;
  for (const highest of [leaf.maxRepetition, leaf.maxDefinition]) {
    if (highest === 0) continue;
    const length = lengthAt(data, at);
    const { equal } = walkLevels(data, at + 4, page.values, highest);
    if (highest === leaf.maxDefinition) defined = equal;
    at += 4 + length;
  }
  if (leaf.maxDefinition === 0) defined = page.values;
  return { data: data.subarray(at), defined };
}

function levelsV2(page: PageHeader, bytes: Uint8Array, leaf: LeafColumn, inflate: Inflate): PageValues {
  const levels = page.repetitionBytes + page.definitionBytes;
  if (levels > Math.min(page.compressedBytes, page.uncompressedBytes))
    throw new PageError("has more levels than bytes");
  if (leaf.maxDefinition === 0 && page.definitionBytes > 0) throw new PageError("has levels that its column has not");
  if (leaf.maxRepetition > 0) walkLevels(bytes, 0, page.values, leaf.maxRepetition);
  const defined =
    leaf.maxDefinition === 0
      ? page.values
      : walkLevels(bytes, page.repetitionBytes, page.values, leaf.maxDefinition).equal;
  if (defined !== page.values - page.nulls) throw new PageError(`has ${defined} values and announces another number`);
  const rest = bytes.subarray(levels);
  return { data: page.isCompressed ? inflate(rest, page.uncompressedBytes - levels) : rest, defined };
}

function walkLevels(bytes: Uint8Array, at: number, count: number, highest: number): { readonly equal: number } {
  const runs = walkRuns(bytes, at, 32 - Math.clz32(highest), count, highest);
  if (runs.highest > highest) throw new PageError(`has the level ${runs.highest} where ${highest} is the highest`);
  return runs;
}

function lengthAt(bytes: Uint8Array, at: number): number {
  if (at + 4 > bytes.length) throw new PageError("ends within its levels");
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true);
  if (length > bytes.length - at - 4) throw new PageError("has levels beyond its end");
  return length;
}

function checkValues(
  page: PageHeader,
  data: Uint8Array,
  leaf: LeafColumn,
  count: number,
  dictionaryValues: number | undefined,
): void {
  const { encoding } = page;
  if (encoding === encodings.plain) return;
  if (encoding === encodings.dictionary || encoding === encodings.plainDictionary) {
    if (dictionaryValues === undefined) throw new PageError("has no dictionary before it");
    checkIndexes(data, count, dictionaryValues);
  } else if (encoding === encodings.rle && leaf.type === "BOOLEAN") {
    // An older version had a width before the length; no writer uses it.
    lengthAt(data, 0);
    walkRuns(data, 4, 1, count, 1);
  } else if (encoding === encodings.delta || encoding === encodings.deltaLength) {
    if (count > 0) walkDelta(data, 0, count);
  } else if (encoding === encodings.split) {
    const width = elementBytes[leaf.type] ?? leaf.typeLength;
    if (!(width > 0 && width * count <= data.length)) throw new PageError(`cannot hold ${count} values`);
  } else {
    throw new PageError(`has the encoding ${encoding}, which is not read`);
  }
}

function checkIndexes(data: Uint8Array, count: number, dictionaryValues: number): void {
  if (count === 0) return;
  const [width] = data;
  if (width === undefined || width > 31) throw new PageError("has indexes of no known width");
  const highest = width === 0 ? 0 : walkRuns(data, 1, width, count, 0).highest;
  if (highest >= dictionaryValues) throw new PageError(`names entry ${highest} of a dictionary of ${dictionaryValues}`);
}
