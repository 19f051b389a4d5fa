import type { CodeSnapshot } from "../../code/code-snapshot.ts";

/** The method by which code is digested: digests of different methods cannot be compared. */
const scheme = 1;

/** The code of a run, from one start on. */
export interface CodeVersion extends CodeSnapshot {
  readonly scheme: number;
  /** When the first start with this code was made. */
  readonly began: string;
  /** How many items were done by then, by the code before. */
  readonly itemsBefore: number;
  /** The user has accepted the change to it. */
  readonly isAccepted?: boolean;
}

/** A state of the code, as the manifest keeps it. */
export function makeCodeVersion(snapshot: CodeSnapshot, itemsBefore: number): CodeVersion {
  return { scheme, began: new Date().toISOString(), itemsBefore, ...snapshot };
}

/** The code versions in a manifest; empty where there are none, or in a format that this version does not read. */
export function readCodeVersions(value: unknown): readonly CodeVersion[] {
  return Array.isArray(value) && value.every(isCodeVersion) ? value : [];
}

function isCodeVersion(value: Partial<CodeVersion> | null): value is CodeVersion {
  return (
    value?.scheme === scheme &&
    typeof value.itemsBefore === "number" &&
    areTexts(value.own) &&
    areTexts(value.unresolved) &&
    isTable(value.files, "sha256", "stamp") &&
    isTable(value.packages, "version", "at")
  );
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

/** A table of entries with one text each, and perhaps another. */
function isTable(value: unknown, needed: string, optional: string): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value as Record<string, Record<string, unknown> | null>).every(
    (entry) =>
      typeof entry?.[needed] === "string" && (entry[optional] === undefined || typeof entry[optional] === "string"),
  );
}

/**
 * The code versions that have made items, oldest first, and those that the user has accepted. The first one counts even
 * if no item is done yet.
 */
export function codeThatMadeItems(versions: readonly CodeVersion[], itemsDone: number): readonly CodeVersion[] {
  return versions.filter(({ itemsBefore, isAccepted }, i) => {
    const itemsAfter = versions[i + 1]?.itemsBefore ?? itemsDone;
    return i === 0 || isAccepted || itemsAfter > itemsBefore;
  });
}
