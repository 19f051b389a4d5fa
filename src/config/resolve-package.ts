import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

interface PackageJson {
  readonly name?: unknown;
  readonly main?: unknown;
  readonly exports?: unknown;
}

/** Where the entry of an installed package may be: the folder it is in, and paths there that can be tried in turn. */
export interface PackageEntry {
  readonly folder: string;
  readonly candidates: readonly string[];
}

const conditions = new Set(["node", "import", "module-sync", "default"]);

/**
 * Finds what `import "package/sub"` would load from a project's files. Node.js can be asked only on behalf of the file
 * that asks, and `require.resolve` would choose another file for a package that has two.
 */
export function resolvePackage(name: string, subpath: string, projectRoot: string): PackageEntry | undefined {
  const folder = findPackage(name, projectRoot);
  if (folder === undefined) return undefined;
  const { exports, main } = readPackageJson(folder) ?? {};
  if (exports !== undefined && exports !== null) {
    const target = pickExport(exports, subpath);
    return { folder, candidates: target === undefined ? [] : [join(folder, target)] };
  }
  const file = subpath === "." ? (typeof main === "string" ? main : "index.js") : subpath;
  return {
    folder,
    candidates: [file, `${file}.js`, `${file}/index.js`, "index.js"]
      .map((path) => join(folder, path))
      .slice(0, subpath === "." ? 4 : 3),
  };
}

function findPackage(name: string, projectRoot: string): string | undefined {
  const own = readPackageJson(projectRoot);
  // As in Node.js, a package can name itself if it says what it exports.
  if (own?.name === name && own.exports !== undefined) return projectRoot;
  for (let at = projectRoot; ; at = dirname(at)) {
    const folder = join(at, "node_modules", name);
    if (readPackageJson(folder) !== undefined) return folder;
    if (at === dirname(at)) return undefined;
  }
}

function readPackageJson(folder: string): PackageJson | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackageJson;
  } catch {
    return undefined;
  }
}

function pickExport(exports: unknown, subpath: string): string | undefined {
  const table: Record<string, unknown> = isSubpathTable(exports) ? exports : { ".": exports };
  const exact = Object.hasOwn(table, subpath) && !subpath.includes("*") ? table[subpath] : undefined;
  const target = exact !== undefined ? pickTarget(exact) : pickPattern(table, subpath);
  return typeof target === "string" && isInsidePackage(target) ? target : undefined;
}

function isSubpathTable(exports: unknown): exports is Record<string, unknown> {
  return typeof exports === "object" && exports !== null && Object.keys(exports).some((key) => key.startsWith("."));
}

// `./features/*` with the longest text before the star wins.
function pickPattern(table: Record<string, unknown>, subpath: string): string | undefined {
  const patterns = Object.keys(table).filter((key) => key.split("*").length === 2);
  patterns.sort((a, b) => b.indexOf("*") - a.indexOf("*") || b.length - a.length);
  for (const pattern of patterns) {
    const [before, after] = pattern.split("*") as [string, string];
    if (subpath.length < pattern.length || !subpath.startsWith(before) || !subpath.endsWith(after)) continue;
    const star = subpath.slice(before.length, subpath.length - after.length);
    return pickTarget(table[pattern])?.replaceAll("*", () => star);
  }
  return undefined;
}

function pickTarget(target: unknown): string | undefined {
  if (typeof target === "string") return target;
  if (Array.isArray(target)) return target.map(pickTarget).find((picked) => picked !== undefined);
  if (typeof target !== "object" || target === null) return undefined;
  for (const [condition, inner] of Object.entries(target)) {
    const picked = conditions.has(condition) ? pickTarget(inner) : undefined;
    if (picked !== undefined) return picked;
  }
  return undefined;
}

function isInsidePackage(target: string): boolean {
  return (
    target.startsWith("./") &&
    !target
      .slice(2)
      .split("/")
      .some((part) => ["..", ".", "node_modules"].includes(part))
  );
}
