import { type Stats, statSync } from "node:fs";

// The coarsest clock of a file system in use has a resolution of two seconds.
const clockResolutionMs = 2000;

/** Size and times of a file as text. The content is unchanged while this is unchanged. */
export function stampOf({ size, mtimeMs, ctimeMs }: Stats): string {
  return `${size} ${mtimeMs} ${ctimeMs}`;
}

/** True if any later change is certain to give the file another stamp. */
export function isSettled({ mtimeMs, ctimeMs }: Stats, nowMs: number): boolean {
  return Math.max(mtimeMs, ctimeMs ?? 0) < nowMs - clockResolutionMs;
}

/** The stats of a path. Undefined if nothing is there or access is denied. */
export function statOrUndefined(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
