import { dirname, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { isMillraceError } from "./errors.ts";

const maxFrameLength = 8192;

/**
 * The place in the user's own code where an error happened (`/home/me/prep.js:22:19`). Undefined if no user code was
 * involved.
 */
export function placeInStack(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // The top frame of a millrace error is in millrace; the user's code is below it.
  if (isMillraceError(error)) return placeInStack(error.cause);
  const libraryFolder = dirname(fileURLToPath(import.meta.url)) + sep;
  for (const line of (error.stack ?? "").split("\n")) {
    // No frame is that long, and the regular expression takes quadratic time.
    if (line.length > maxFrameLength) continue;
    const [, place, numbers] = /(?:^| |\()((?:file:\/\/)?\/[^()]*?)(:\d+:\d+)\)?$/.exec(line) ?? [];
    if (place === undefined) continue;
    const path = pathOf(place);
    if (path === undefined) continue;
    if (path.startsWith(libraryFolder) || path.includes("/node_modules/")) continue;
    return `${path}${numbers}`;
  }
  return undefined;
}

/** A stack may come from a file of a run and contain invalid URLs. */
function pathOf(place: string): string | undefined {
  if (!place.startsWith("file:")) return place;
  try {
    return fileURLToPath(place);
  } catch {
    return undefined;
  }
}
