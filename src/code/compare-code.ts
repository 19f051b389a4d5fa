import { dirname, relative, sep } from "node:path";
import { readable } from "../text/readable.ts";
import type { CodeSnapshot } from "./code-snapshot.ts";

/** What a run does if its code has changed: stop, warn and continue, or continue. */
export type OnCodeChange = "refuse" | "warn" | "accept";

/** The differences between two snapshots of the code. */
export interface CodeChange {
  readonly files: readonly { readonly name: string; readonly what: "changed" | "added" | "removed" }[];
  readonly packages: readonly {
    readonly name: string;
    readonly before: string | undefined;
    readonly after: string | undefined;
  }[];
  /** True if a module of the runner or the provider itself differs, not only one that they import. */
  readonly isOfClass: boolean;
}

/** Compares the code of a run with the code on disk. Undefined if nothing changed. */
export function compareCode(before: CodeSnapshot, after: CodeSnapshot): CodeChange | undefined {
  // Paths are taken relative to the runner's file: a package.json added above it would change all names.
  const old = rebased(before);
  const now = rebased(after);
  const names = [...new Set([...old.files.keys(), ...now.files.keys()])].sort();
  const files = names.flatMap((name) => {
    const [one, other] = [old.files.get(name), now.files.get(name)];
    if (one?.sha256 === other?.sha256) return [];
    const what = one === undefined ? "added" : other === undefined ? "removed" : "changed";
    return [
      { name: (other ?? one)!.shown, what, isOfClass: one?.isOfClass === true || other?.isOfClass === true } as const,
    ];
  });
  const packages = [...new Set([...Object.keys(before.packages), ...Object.keys(after.packages)])]
    .map((name) => ({ name, before: before.packages[name]?.version, after: after.packages[name]?.version }))
    .filter((one) => one.before !== one.after);
  if (files.length === 0 && packages.length === 0) return undefined;
  return {
    files: files.map(({ name, what }) => ({ name, what })),
    packages,
    isOfClass: files.some(({ isOfClass }) => isOfClass),
  };
}

function rebased({ own: rootNames, files }: CodeSnapshot) {
  const first = rootNames.find((name) => !name.startsWith("class "));
  const base = first === undefined ? "" : dirname(first);
  return {
    files: new Map(
      Object.entries(files).map(([shown, { sha256 }]) => [
        shown.startsWith("class ") ? shown : relative(base, shown).split(sep).join("/"),
        { shown, sha256, isOfClass: rootNames.includes(shown) },
      ]),
    ),
  };
}

/** What to do about a change: the user's choice, or by default what the kind of change requires. */
export function policyFor({ isOfClass }: CodeChange, asked: OnCodeChange | undefined): OnCodeChange {
  return asked ?? (isOfClass ? "refuse" : "warn");
}

const maxShown = 20;

/** Describes a change, one line for each file and package. The manifest may have been written by others. */
export function describeCodeChange({ files, packages }: CodeChange): string[] {
  const lines = [
    ...files.map(({ name, what }) => `${name}: ${what}`),
    ...packages.map(({ name, before, after }) => `package ${name}: ${before ?? "(none)"} -> ${after ?? "(none)"}`),
  ];
  const shown = lines.slice(0, maxShown).map(readable);
  return lines.length <= maxShown ? shown : [...shown, `… and ${lines.length - maxShown} more`];
}
