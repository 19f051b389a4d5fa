import { type Stats, statSync } from "node:fs";

// The coarsest clock of a file system in use counts two seconds.
const clockMs = 2000;

/** Size and times of a file as a text: while it is the same, the content is. */
export function stampOf({ size, mtimeMs, ctimeMs }: Stats): string {
  return `${size} ${mtimeMs} ${ctimeMs}`;
}

/** Whether a change that is made from now on is sure to give the file another stamp. */
export function isSettled({ mtimeMs, ctimeMs }: Stats, nowMs: number): boolean {
  return Math.max(mtimeMs, ctimeMs ?? 0) < nowMs - clockMs;
}

/** What a path leads to; undefined where there is nothing, or it may not be looked at. */
export function lookUp(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
