import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** This library as it is installed. */
export interface LibraryPackage {
  /** The folder of its own code, with a slash at its end. */
  readonly folder: string;
  readonly version: string;
}

let known: { readonly found: LibraryPackage | undefined } | undefined;

/** Where this library is and which version; undefined where it is a part of a user's bundle, whose files are the user's. */
export function libraryPackage(): LibraryPackage | undefined {
  // What the build makes is in one folder, the sources are in several.
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
