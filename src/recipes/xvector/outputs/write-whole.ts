import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type UnfinishedFolder, unfinishedPath } from "./unfinished.ts";

/** Writes a file atomically: a reader sees all of it or nothing. */
export function writeWhole(path: string, bytes: Uint8Array | string, { unfinished }: UnfinishedFolder): void {
  const partial = unfinishedPath(path, unfinished);
  const write = () => {
    writeFileSync(partial, bytes, { flag: "wx" });
    renameSync(partial, path);
  };
  try {
    write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    // The first file of a folder creates it.
    rmSync(partial, { force: true });
    for (const folder of [unfinished, dirname(path)]) mkdirSync(folder, { recursive: true });
    write();
  }
}
