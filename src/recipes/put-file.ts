import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes a small file atomically: a reader finds the complete old or the complete new file. */
export function putFile(path: string, content: string | Uint8Array): void {
  makeWhole(path, (partial) => writeFileSync(partial, content, { flag: "wx" }));
}

/** The same for a file that `make` writes under a temporary name: beside it, unless the caller gives another place. */
export function makeWhole(
  path: string,
  make: (partial: string) => void,
  partial: string = `${path}.${randomUUID()}.tmp`,
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
