/** How a hypothesis differs from its reference. */
export interface Alignment {
  readonly correct: number;
  readonly substituted: number;
  readonly deleted: number;
  readonly inserted: number;
  /** Number of tokens of the reference: correct, substituted and deleted. */
  readonly length: number;
}

/**
 * Counts the fewest edits that turn a reference into a hypothesis. If there are several ways, the one with the fewest
 * insertions and deletions is used, as in other scoring tools. Time is proportional to the product of both lengths
 * without common prefix and suffix; memory to one of them.
 */
export function alignTokens(reference: readonly string[], hypothesis: readonly string[]): Alignment {
  const { length } = reference;
  const from = commonBeginning(reference, hypothesis);
  const to = commonEnd(reference, hypothesis, from);
  const rows = length - from - to;
  const columns = hypothesis.length - from - to;
  // An edit has this weight and a gap one more, so that one number contains both counts and orders them.
  const weight = rows + columns + 1;
  const cost = minCost(reference.slice(from, length - to), hypothesis.slice(from, from + columns), weight);
  const edits = Math.floor(cost / weight);
  const gaps = cost % weight;
  // The hypothesis is longer by insertions minus deletions.
  const inserted = (gaps + columns - rows) / 2;
  const deleted = gaps - inserted;
  const substituted = edits - gaps;
  return { correct: length - deleted - substituted, substituted, deleted, inserted, length };
}

function minCost(reference: readonly string[], hypothesis: readonly string[], weight: number): number {
  const columns = hypothesis.length;
  const gap = weight + 1;
  // One row of the dynamic programming table; `diagonal` is the previous value in the column on the left.
  const row = Float64Array.from({ length: columns + 1 }, (_, j) => j * gap);
  for (const token of reference) {
    let diagonal = row[0]!;
    row[0] = diagonal + gap;
    for (let j = 1; j <= columns; j++) {
      const up = row[j]!;
      const replaced = hypothesis[j - 1] === token ? diagonal : diagonal + weight;
      row[j] = Math.min(replaced, up + gap, row[j - 1]! + gap);
      diagonal = up;
    }
  }
  return row[columns]!;
}

function commonBeginning(one: readonly string[], other: readonly string[]): number {
  const most = Math.min(one.length, other.length);
  let count = 0;
  while (count < most && one[count] === other[count]) count++;
  return count;
}

function commonEnd(one: readonly string[], other: readonly string[], from: number): number {
  const most = Math.min(one.length, other.length) - from;
  let count = 0;
  while (count < most && one[one.length - 1 - count] === other[other.length - 1 - count]) count++;
  return count;
}
