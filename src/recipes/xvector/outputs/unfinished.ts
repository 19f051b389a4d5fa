import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { extname, join } from "node:path";

/**
 * The folder of incomplete files. It is beside the outputs, on the same file system: leftovers of a killed worker are
 * never among the vectors, and are removed with the folder when the split is published.
 */
export interface UnfinishedFolder {
  readonly unfinished: string;
}

// Two workers may process the same utterance after one was considered dead, so each process has its own names. Each
// file gets a new name: an existing name may be a hard link to another file.
const ofThisProcess = randomUUID();
let files = 0;

/** The name of a file until it is complete. */
export function unfinishedPath(path: string, unfinished: string): string {
  return join(unfinished, `${ofThisProcess}-${files++}${extname(path)}`);
}

/** Removes incomplete files. */
export function removeUnfinished({ unfinished }: UnfinishedFolder): void {
  rmSync(unfinished, { recursive: true, force: true });
}
