const maxFrameLength = 8192;

/**
 * The place in the user's own code where an error happened (`/home/me/prep.js:22:19`). Undefined if no user code was
 * involved.
 */
export function placeInStack(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // The top frame of a millrace error is in millrace; the user's code is below it.
  if (error.name === "MillraceError") return placeInStack(error.cause);
  // Where it is bundled for a browser, or as CommonJS, it has no path; the user's code does not run there.
  const libraryFolder = pathOf(import.meta.url?.replace(/[^/]*$/, "") ?? "");
  for (const line of (error.stack ?? "").split("\n")) {
    // No frame is that long, and the regular expression takes quadratic time.
    if (line.length > maxFrameLength) continue;
    const [, place, numbers] = /(?:^| |\()((?:file:\/\/)?\/[^()]*?)(:\d+:\d+)\)?$/.exec(line) ?? [];
    if (place === undefined) continue;
    const path = pathOf(place);
    if (path === undefined) continue;
    if (
      (libraryFolder !== undefined && libraryFolder !== "" && path.startsWith(libraryFolder)) ||
      path.includes("/node_modules/")
    )
      continue;
    return `${path}${numbers}`;
  }
  return undefined;
}

/** A stack may come from a file of a run and contain invalid URLs. */
function pathOf(place: string): string | undefined {
  if (!place.startsWith("file:")) return place;
  try {
    return decodeURIComponent(new URL(place).pathname);
  } catch {
    return undefined;
  }
}
