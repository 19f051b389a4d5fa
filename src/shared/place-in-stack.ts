import { dirname, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { isMillraceError } from "./errors.ts";

/** Where in the user's own code an error came up (`/home/me/prep.js:22:19`), or undefined where none of it took part. */
export function placeInStack(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // An error of millrace's was made in millrace; what the user's code did is below it.
  if (isMillraceError(error)) return placeInStack(error.cause);
  const own = dirname(fileURLToPath(import.meta.url)) + sep;
  for (const line of (error.stack ?? "").split("\n")) {
    const [, place, numbers] = /(?:^| |\()((?:file:\/\/)?\/[^()]*?)(:\d+:\d+)\)?$/.exec(line) ?? [];
    if (place === undefined) continue;
    const path = place.startsWith("file:") ? fileURLToPath(place) : place;
    if (path.startsWith(own) || path.includes("/node_modules/")) continue;
    return `${path}${numbers}`;
  }
  return undefined;
}
