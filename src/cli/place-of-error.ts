import { relative } from "node:path";
import { placeInStack } from "../errors/place-in-stack.ts";

/**
 * The place in the user's own code where an error happened (`prep.js:22:19`). Undefined if no user code was involved.
 */
export function placeOfError(error: unknown, folder: string = process.cwd()): string | undefined {
  const place = placeInStack(error);
  return place === undefined ? undefined : shortPlace(place, folder);
}

/** A place relative to a folder. */
export function shortPlace(place: string, folder: string = process.cwd()): string {
  const shown = relative(folder, place);
  return shown.startsWith("..") ? place : shown;
}
