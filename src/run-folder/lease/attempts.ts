import { type Claimable, parseAttemptName } from "../files/run-paths.ts";

/** The attempts at one shard, or at the merge, as the attempts folder lists them. */
export interface KnownAttempts {
  /** The newest attempt that may still commit. */
  readonly active: number | undefined;
  /** Attempts that may not commit any more, oldest first. They may hold a checkpoint. */
  readonly fenced: readonly number[];
  readonly highest: number;
}

export const noAttempts: KnownAttempts = { active: undefined, fenced: [], highest: 0 };

/** Groups the names in the attempts folder by shard. */
export function groupAttempts(names: readonly string[]): Map<Claimable, KnownAttempts> {
  const found = new Map<Claimable, { active: number | undefined; fenced: number[]; highest: number }>();
  for (const name of names) {
    const parsed = parseAttemptName(name);
    if (parsed === undefined) continue;
    const { target, attempt, kind } = parsed;
    const entry = found.get(target) ?? { active: undefined, fenced: [], highest: 0 };
    found.set(target, entry);
    if (kind === "") entry.active = Math.max(entry.active ?? 0, attempt);
    else if (kind === ".fenced") entry.fenced.push(attempt);
    entry.highest = Math.max(entry.highest, attempt);
  }
  for (const entry of found.values()) entry.fenced.sort((a, b) => a - b);
  return found;
}
