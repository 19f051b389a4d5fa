import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type UnfinishedFolder, unfinishedPath } from "./unfinished.ts";

/** Writes a file so that whoever looks sees all of it or none. */
export function writeWhole(path: string, bytes: Uint8Array | string, { unfinished }: UnfinishedFolder): void {
  const partial = unfinishedPath(path, unfinished);
  const write = () => {
    writeFileSync(partial, bytes);
    renameSync(partial, path);
  };
  try {
    write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    // The first file of a folder makes it; the others need not ask.
    for (const folder of [unfinished, dirname(path)]) mkdirSync(folder, { recursive: true });
    write();
  }
}
