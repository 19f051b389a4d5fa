import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** This library as installed. */
export interface LibraryPackage {
  /** The folder of its code, with a trailing slash. */
  readonly folder: string;
  readonly version: string;
}

let known: { readonly found: LibraryPackage | undefined } | undefined;

/** The folder and version of this library. Undefined if it is part of a user's bundle, whose files are the user's. */
export function libraryPackage(): LibraryPackage | undefined {
  // The build output is in one folder, the sources are in several.
  known ??= { found: packageAbove("./") ?? packageAbove("../") };
  return known.found;
}

function packageAbove(folder: string): LibraryPackage | undefined {
  try {
    const text = readFileSync(new URL(`${folder}../package.json`, import.meta.url), "utf8");
    const { name, version } = JSON.parse(text) as { readonly name?: unknown; readonly version?: unknown };
    if (name !== "millrace") return undefined;
    return { folder: fileURLToPath(new URL(folder, import.meta.url)), version: String(version) };
  } catch {
    return undefined;
  }
}
