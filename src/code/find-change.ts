import type { CodeSnapshot, CodeSource } from "./code-snapshot.ts";
import { type CodeChange, compareCode } from "./compare-code.ts";
import { isUnchanged } from "./is-unchanged.ts";

/**
 * The differences between the code on disk and a snapshot. Undefined if there are none. A class that names no module is
 * skipped if it is not loaded.
 */
export async function findChange(noted: CodeSnapshot, source: CodeSource): Promise<CodeChange | undefined> {
  if (isUnchanged(noted, source)) return undefined;
  // Imported lazily: for most workers nothing has changed.
  const { digestCode } = await import("./digest-code.ts");
  const hasText = source.classes.every(({ text }) => text !== undefined);
  return compareCode(hasText ? noted : withoutClasses(noted), digestCode(source, noted));
}

function withoutClasses({ own: rootNames, files, ...others }: CodeSnapshot): CodeSnapshot {
  const isFile = (name: string) => !name.startsWith("class ");
  return {
    ...others,
    own: rootNames.filter(isFile),
    files: Object.fromEntries(Object.entries(files).filter(([name]) => isFile(name))),
  };
}
