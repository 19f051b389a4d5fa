import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const made = new Set<string>();

/** Writes a file so that whoever looks sees all of it or none. */
export function writeWhole(path: string, bytes: Uint8Array | string): void {
  const folder = dirname(path);
  if (!made.has(folder)) mkdirSync(folder, { recursive: true });
  made.add(folder);
  // Two workers may be at the same utterance after one was taken for dead: each has its own name until it is whole.
  const partial = `${path}.${process.pid}.partial`;
  try {
    writeFileSync(partial, bytes);
    renameSync(partial, path);
  } catch (error) {
    made.delete(folder);
    rmSync(partial, { force: true });
    throw error;
  }
}
