import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { extname, join } from "node:path";

/**
 * Where files are until they are whole. It stands beside the outputs, on their file system: what a killed worker leaves
 * is never among the vectors, and goes with the folder when the split is published.
 */
export interface UnfinishedFolder {
  readonly unfinished: string;
}

// Two workers may be at the same utterance after one was taken for dead: each process has names of its own.
const ofThisProcess = randomUUID();

/** The name that a file has until it is whole; a process writes one of a kind at a time. */
export function unfinishedPath(path: string, unfinished: string): string {
  return join(unfinished, `${ofThisProcess}${extname(path)}`);
}

/** Removes what was never finished. */
export function removeUnfinished({ unfinished }: UnfinishedFolder): void {
  rmSync(unfinished, { recursive: true, force: true });
}
