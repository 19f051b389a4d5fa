import type { CodeSnapshot } from "../../code/code-snapshot.ts";

/** The method by which code is digested: digests of different methods cannot be compared. */
const scheme = 1;

/** The code of a run, from one start to the next change. */
export interface CodeVersion extends CodeSnapshot {
  readonly scheme: number;
  /** When the first start with this code was made. */
  readonly began: string;
  /** How many items were done before that start, by earlier code. */
  readonly itemsBefore: number;
  /** The user has accepted the change to it. */
  readonly isAccepted?: boolean;
}

/** Makes a code version for the manifest. */
export function makeCodeVersion(snapshot: CodeSnapshot, itemsBefore: number): CodeVersion {
  return { scheme, began: new Date().toISOString(), itemsBefore, ...snapshot };
}

/** The code versions in a manifest; empty if there are none, or if they have an unknown format. */
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

/** Whether a value is a table whose entries have the text `needed`, and perhaps the text `optional`. */
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
