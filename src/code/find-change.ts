import type { CodeSnapshot, CodeSource } from "./code-snapshot.ts";
import { type CodeChange, compareCode } from "./compare-code.ts";
import { isUnchanged } from "./is-unchanged.ts";

/**
 * In what the code on disk differs from a state of it; undefined where it does not. A class that names no module is left out
 * where it is not loaded.
 */
export async function findChange(noted: CodeSnapshot, source: CodeSource): Promise<CodeChange | undefined> {
  if (isUnchanged(noted, source)) return undefined;
  // Only here: most workers find everything as it was.
  const { digestCode } = await import("./digest-code.ts");
  const hasText = source.classes.every(({ text }) => text !== undefined);
  return compareCode(hasText ? noted : withoutClasses(noted), digestCode(source, noted));
}

function withoutClasses({ own, files, ...others }: CodeSnapshot): CodeSnapshot {
  const isFile = (name: string) => !name.startsWith("class ");
  return {
    ...others,
    own: own.filter(isFile),
    files: Object.fromEntries(Object.entries(files).filter(([name]) => isFile(name))),
  };
}
