/** How a hypothesis differs from its reference. */
export interface Alignment {
  readonly correct: number;
  readonly substituted: number;
  readonly deleted: number;
  readonly inserted: number;
  /** Tokens of the reference: correct, substituted and deleted ones. */
  readonly length: number;
}

/**
 * Counts the fewest edits that turn a reference into a hypothesis. Where there are several ways, the one with the fewest
 * insertions and deletions counts, as scoring tools of the field do.
 */
export function alignTokens(reference: readonly string[], hypothesis: readonly string[]): Alignment {
  const columns = hypothesis.length + 1;
  // For each cell: edits, and of them deletions and insertions; only two rows are ever needed.
  let above = Array.from({ length: columns }, (_, j) => ({ edits: j, gaps: j, inserted: j }));
  for (const [i, token] of reference.entries()) {
    const row = [{ edits: i + 1, gaps: i + 1, inserted: 0 }];
    for (let j = 1; j < columns; j++) {
      const [diagonal, up, left] = [above[j - 1]!, above[j]!, row[j - 1]!];
      const isSame = hypothesis[j - 1] === token;
      let best = { ...diagonal, edits: diagonal.edits + (isSame ? 0 : 1) };
      if (isBetter(up, best)) best = { ...up, edits: up.edits + 1, gaps: up.gaps + 1 };
      if (isBetter(left, best)) best = { edits: left.edits + 1, gaps: left.gaps + 1, inserted: left.inserted + 1 };
      row.push(best);
    }
    above = row;
  }
  const { edits, gaps, inserted } = above[columns - 1]!;
  const deleted = gaps - inserted;
  const substituted = edits - gaps;
  const { length } = reference;
  return { correct: length - deleted - substituted, substituted, deleted, inserted, length };
}

function isBetter(
  from: { readonly edits: number; readonly gaps: number },
  best: { readonly edits: number; readonly gaps: number },
): boolean {
  return from.edits + 1 < best.edits || (from.edits + 1 === best.edits && from.gaps + 1 < best.gaps);
}
