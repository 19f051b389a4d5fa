import type { Unit } from "./run-paths.ts";

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
    const match = /^(\d+|merge)\.(\d+)(\.\w+)?$/.exec(name);
    if (match === null) continue;
    const unit = match[1] === "merge" ? "merge" : Number(match[1]);
    const epoch = Number(match[2]);
    const entry = found.get(unit) ?? { active: undefined, fenced: [], highest: 0 };
    found.set(unit, entry);
    if (match[3] === undefined) entry.active = Math.max(entry.active ?? 0, epoch);
    else if (match[3] === ".fenced") entry.fenced.push(epoch);
    entry.highest = Math.max(entry.highest, epoch);
  }
  for (const entry of found.values()) entry.fenced.sort((a, b) => a - b);
  return found;
}
