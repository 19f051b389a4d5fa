import { parseAttemptName, type Unit } from "./run-paths.ts";

/** What the attempts folder says about one unit. */
export interface UnitAttempts {
  /** The newest attempt that may still commit. */
  readonly active: number | undefined;
  /** Attempts that lost the right to, oldest first; they may hold a checkpoint to go on from. */
  readonly fenced: readonly number[];
  readonly highest: number;
}

export const noAttempts: UnitAttempts = { active: undefined, fenced: [], highest: 0 };

/** Sorts the names in the attempts folder by unit. */
export function groupAttempts(names: readonly string[]): Map<Unit, UnitAttempts> {
  const found = new Map<Unit, { active: number | undefined; fenced: number[]; highest: number }>();
  for (const name of names) {
    const parsed = parseAttemptName(name);
    if (parsed === undefined) continue;
    const { unit, epoch, kind } = parsed;
    const entry = found.get(unit) ?? { active: undefined, fenced: [], highest: 0 };
    found.set(unit, entry);
    if (kind === "") entry.active = Math.max(entry.active ?? 0, epoch);
    else if (kind === ".fenced") entry.fenced.push(epoch);
    entry.highest = Math.max(entry.highest, epoch);
  }
  for (const entry of found.values()) entry.fenced.sort((a, b) => a - b);
  return found;
}
