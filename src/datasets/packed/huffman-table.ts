/** The codes of a Huffman tree: entries are `symbol << 4 | length`, by as many bits as the longest code has. */
export interface HuffmanTable {
  readonly entries: Uint16Array;
  readonly mask: number;
}

/** A table from the lengths of the codes; undefined if no set of codes has these lengths. */
export function makeHuffmanTable(lengths: Uint8Array, mayBeIncomplete = true): HuffmanTable | undefined {
  const counts = new Uint16Array(16);
  let longest = 0;
  for (const length of lengths) {
    counts[length]!++;
    if (length > longest) longest = length;
  }
  // No code at all: any use of one is an error of its own.
  if (longest === 0) return { entries: new Uint16Array(1), mask: 0 };
  const next = new Uint16Array(16);
  let [code, left] = [0, 1];
  for (let length = 1; length <= 15; length++) {
    code = (code + (length === 1 ? 0 : counts[length - 1]!)) << 1;
    next[length] = code;
    left = (left << 1) - counts[length]!;
    if (left < 0) return undefined;
  }
  // A single code of one bit is allowed, as zlib does.
  if (left > 0 && (!mayBeIncomplete || longest !== 1)) return undefined;
  const entries = new Uint16Array(1 << longest);
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol]!;
    if (length === 0) continue;
    const entry = (symbol << 4) | length;
    for (let at = reverse(next[length]!++, length); at < entries.length; at += 1 << length) entries[at] = entry;
  }
  return { entries, mask: entries.length - 1 };
}

function reverse(code: number, bits: number): number {
  let [from, to] = [code, 0];
  for (let i = 0; i < bits; i++, from >>= 1) to = (to << 1) | (from & 1);
  return to;
}

/** The tables of blocks that bring none of their own. */
export const fixedTables: { readonly literals: HuffmanTable; readonly distances: HuffmanTable } = {
  literals: makeHuffmanTable(
    Uint8Array.from({ length: 288 }, (_, symbol) => (symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8)),
  )!,
  distances: makeHuffmanTable(new Uint8Array(32).fill(5))!,
};
