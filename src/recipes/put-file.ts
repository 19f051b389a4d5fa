import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Puts a small file in place at once: a reader finds the old one or the new one whole. */
export function putFile(path: string, content: string | Uint8Array): void {
  makeWhole(path, (partial) => writeFileSync(partial, content));
}

/** The same for a file that `make` writes under another name: beside it, unless the caller has a place for such. */
export function makeWhole(
  path: string,
  make: (partial: string) => void,
  partial: string = `${path}.${process.pid}.tmp`,
): void {
  for (const file of [partial, path]) mkdirSync(dirname(file), { recursive: true });
  try {
    make(partial);
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}
