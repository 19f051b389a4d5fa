import { relative } from "node:path";
import { placeInStack } from "../shared/place-in-stack.ts";

/** Where in the user's own code an error came up (`prep.js:22:19`), or undefined where none of it took part. */
export function placeOfError(error: unknown, folder: string = process.cwd()): string | undefined {
  const place = placeInStack(error);
  return place === undefined ? undefined : shortPlace(place, folder);
}

/** A place as it is seen from a folder. */
export function shortPlace(place: string, folder: string = process.cwd()): string {
  const shown = relative(folder, place);
  return shown.startsWith("..") ? place : shown;
}
