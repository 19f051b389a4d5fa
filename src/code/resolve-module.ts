import { realpathSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, isAbsolute, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { resolvePackage } from "../config/resolve-package.ts";
import { statOrUndefined } from "./file-stamp.ts";
import type { PackageReader } from "./read-package.ts";
import { pathsOf } from "./tsconfig-paths.ts";

/**
 * The result of resolving a specifier: files of the user, a package, something that is ignored, or something that is
 * missing.
 */
export type Resolved =
  | { readonly kind: "files"; readonly paths: readonly string[] }
  | { readonly kind: "package"; readonly name: string; readonly folder: string }
  | { readonly kind: "builtin" }
  | { readonly kind: "missing" };

const extensions = [".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".jsx", ".json"];
const typeScriptFor: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx"],
  ".jsx": [".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
};
const packageName = /^(?:@[^/]+\/)?[^/@][^/]*/;

/** Resolves an import. Where loaders differ (`x.js` may mean `x.ts`), all existing candidates are returned. */
export function resolveModule(specifier: string, from: string, packages: PackageReader): Resolved {
  const folder = dirname(from);
  if (specifier.startsWith("file:")) return filesAt(pathOfUrl(specifier));
  if (/^\.{0,2}\//.test(specifier) || specifier === "." || specifier === "..")
    return filesAt(isAbsolute(specifier) ? specifier : join(folder, withoutQuery(specifier)));
  if (isBuiltin(specifier)) return { kind: "builtin" };
  if (specifier.startsWith("#")) return packageImport(specifier, folder, packages);
  const aliased = pathsOf(specifier, folder).flatMap((path) => candidates(path));
  if (aliased.length > 0) return { kind: "files", paths: aliased };
  return inPackage(specifier, folder, packages);
}

/** The path of a file URL, without a query that a loader may have added. */
export function pathOfUrl(url: string): string {
  try {
    return fileURLToPath(withoutQuery(url));
  } catch {
    return url;
  }
}

function withoutQuery(specifier: string): string {
  return specifier.replace(/[?#].*$/, "");
}

function filesAt(path: string): Resolved {
  const paths = candidates(path);
  return paths.length === 0 ? { kind: "missing" } : { kind: "files", paths };
}

/** The existing files that a path may mean. */
function candidates(path: string): string[] {
  const [extension = ""] = /\.[a-z]+$/.exec(path) ?? [];
  const others = (typeScriptFor[extension] ?? []).map((ending) => path.slice(0, -extension.length) + ending);
  const exact = [path, ...others].filter(isFile);
  if (exact.length > 0) return exact.map(realPath);
  const found = extensions.map((ending) => path + ending).filter(isFile);
  const index = found.length > 0 ? found : extensions.map((ending) => join(path, `index${ending}`)).filter(isFile);
  return index.map(realPath);
}

function isFile(path: string): boolean {
  return statOrUndefined(path)?.isFile() ?? false;
}

// Node.js resolves imports from a file's real path.
export function realPath(path: string): string {
  try {
    // One system call; the JavaScript version makes one for every folder of the path.
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** Resolves `#name` with the nearest package.json. */
function packageImport(specifier: string, folder: string, packages: PackageReader): Resolved {
  const enclosing = packages.nearest(folder);
  const targets = enclosing === undefined ? [] : targetsOf(enclosing.json.imports, specifier);
  const [target] = targets;
  if (enclosing === undefined || target === undefined) return { kind: "missing" };
  return target.startsWith(".")
    ? filesAt(join(enclosing.folder, target))
    : inPackage(target, enclosing.folder, packages);
}

/** All targets that a table of package.json gives for a name, for any condition. */
function targetsOf(table: unknown, name: string): string[] {
  if (typeof table !== "object" || table === null) return [];
  for (const [pattern, entry] of Object.entries(table)) {
    const [before = "", after] = pattern.split("*");
    if (after === undefined ? pattern === name : name.startsWith(before) && name.endsWith(after)) {
      const star = after === undefined ? "" : name.slice(before.length, name.length - after.length);
      return textsIn(entry).map((target) => target.replaceAll("*", () => star));
    }
  }
  return [];
}

function textsIn(entry: unknown): string[] {
  if (typeof entry === "string") return [entry];
  return typeof entry === "object" && entry !== null ? Object.values(entry).flatMap(textsIn) : [];
}

function inPackage(specifier: string, folder: string, packages: PackageReader): Resolved {
  const [name] = packageName.exec(specifier) ?? [];
  if (name === undefined || /^[a-z]+:/i.test(specifier)) return { kind: "missing" };
  if (name === "millrace") return { kind: "package", name, folder: "" };
  const found = installed(name, folder, packages);
  if (found === undefined) return { kind: "missing" };
  const real = realPath(found.folder);
  if (!found.isSelf && isInPackages(real)) return { kind: "package", name, folder: found.folder };
  // A package of the same repository is the user's code.
  const subpath = specifier === name ? "." : `.${specifier.slice(name.length)}`;
  const entry = resolvePackage(name, subpath, found.isSelf ? found.folder : folder);
  const paths = entry?.candidates.flatMap((path) => candidates(path)).slice(0, 1) ?? [];
  return paths.length === 0 ? { kind: "missing" } : { kind: "files", paths };
}

function installed(
  name: string,
  from: string,
  packages: PackageReader,
): { readonly folder: string; readonly isSelf: boolean } | undefined {
  const enclosing = packages.nearest(from);
  if (enclosing?.json.name === name && enclosing.json.exports !== undefined)
    return { folder: enclosing.folder, isSelf: true };
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, "node_modules", name);
    if (packages.read(folder) !== undefined) return { folder, isSelf: false };
    if (at === dirname(at)) return undefined;
  }
}

/** True if a path is inside a folder of a package manager. */
export function isInPackages(path: string): boolean {
  return path.includes(`${sep}node_modules${sep}`);
}
