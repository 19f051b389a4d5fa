import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The fields that are read of a package.json. */
export interface PackageJson {
  readonly name?: unknown;
  readonly version?: unknown;
  readonly exports?: unknown;
  readonly imports?: unknown;
}

/** Reads package.json files, each once. */
export interface PackageReader {
  read(folder: string): PackageJson | undefined;
  /** The nearest folder, at or above this one, that has a package.json. */
  nearest(folder: string): { readonly folder: string; readonly json: PackageJson } | undefined;
}

export function openPackageReader(): PackageReader {
  const known = new Map<string, PackageJson | undefined>();
  const read = (folder: string): PackageJson | undefined => {
    if (!known.has(folder)) known.set(folder, readPackage(folder));
    return known.get(folder);
  };
  return {
    read,
    nearest(folder) {
      for (let at = folder; ; at = dirname(at)) {
        const json = read(at);
        if (json !== undefined) return { folder: at, json };
        if (at === dirname(at)) return undefined;
      }
    },
  };
}

/** The package.json in a folder. Undefined if there is none or it cannot be read. */
export function readPackage(folder: string): PackageJson | undefined {
  try {
    const json = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackageJson | null;
    return typeof json === "object" && json !== null ? json : undefined;
  } catch {
    return undefined;
  }
}
