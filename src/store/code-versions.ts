import type { CodeSnapshot } from "../code/code-snapshot.ts";

/** The way in which code is digested: digests of another way cannot be compared. */
const scheme = 1;

/** A state of the code that a run had, from a start on. */
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

/** The states of the code in a manifest; none where they were not noted, or in a way that this version does not read. */
export function readCodeVersions(value: unknown): readonly CodeVersion[] {
  return Array.isArray(value) && value.every(isCodeVersion) ? value : [];
}

function isCodeVersion(value: Partial<CodeVersion> | null): value is CodeVersion {
  return (
    value?.scheme === scheme &&
    typeof value.itemsBefore === "number" &&
    Array.isArray(value.own) &&
    isTable(value.files) &&
    isTable(value.packages)
  );
}

function isTable(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((entry) => typeof entry === "object" && entry !== null)
  );
}

/**
 * The states of the code that have made items, oldest first, and those that the user has accepted. The first one counts also if
 * nothing is done yet.
 */
export function codeThatMadeItems(versions: readonly CodeVersion[], itemsDone: number): readonly CodeVersion[] {
  return versions.filter(({ itemsBefore, isAccepted }, i) => {
    const itemsAfter = versions[i + 1]?.itemsBefore ?? itemsDone;
    return i === 0 || isAccepted || itemsAfter > itemsBefore;
  });
}
