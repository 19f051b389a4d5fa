/** The position of an id. */
interface Place {
  readonly file: string;
  readonly line: number;
}

export interface Duplicate {
  readonly id: string;
  readonly places: readonly Place[];
}

/**
 * The first id that occurs twice, found without holding the ids in memory: a 53-bit hash of each is sorted, and only
 * ids with equal hashes are compared.
 */
export function findDuplicateId(
  files: readonly string[],
  readIds: (file: string) => Iterable<string>,
  count: number,
): Duplicate | undefined {
  const numbers = new Float64Array(count);
  let at = 0;
  for (const file of files) for (const id of readIds(file)) numbers[at++] = numberOf(id);
  const sorted = numbers.subarray(0, at).sort();
  const suspects = new Set<number>();
  for (let i = 1; i < sorted.length; i++) if (sorted[i] === sorted[i - 1]) suspects.add(sorted[i]!);
  return suspects.size === 0 ? undefined : confirm(files, readIds, suspects);
}

function confirm(
  files: readonly string[],
  readIds: (file: string) => Iterable<string>,
  suspects: ReadonlySet<number>,
): Duplicate | undefined {
  const seen = new Map<string, Place>();
  for (const file of files) {
    let line = 0;
    for (const id of readIds(file)) {
      line++;
      if (!suspects.has(numberOf(id))) continue;
      const first = seen.get(id);
      if (first !== undefined) return { id, places: [first, { file, line }] };
      seen.set(id, { file, line });
    }
  }
  return undefined;
}

// FNV-1a twice, with different start values, and 53 bits of both.
function numberOf(id: string): number {
  let [one, two] = [0x811c9dc5, 0x01000193];
  for (let i = 0; i < id.length; i++) {
    const code = id.charCodeAt(i);
    one = Math.imul(one ^ code, 0x01000193);
    two = Math.imul(two ^ code, 0x85ebca6b);
    two ^= two >>> 13;
  }
  return (one >>> 0) * 2 ** 21 + ((two >>> 0) & 0x1fffff);
}
