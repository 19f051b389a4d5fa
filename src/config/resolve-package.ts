import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

interface PackageJson {
  readonly name?: unknown;
  readonly main?: unknown;
  readonly exports?: unknown;
  readonly [key: string]: unknown;
}

/** The entry of an installed package: its folder, and candidate paths in it, in order. */
export interface PackageEntry {
  readonly folder: string;
  /** The folder whose node_modules contains it; the project itself for a self-reference. */
  readonly installedIn: string;
  /** The name in its own package.json: a dependency may have an alias. */
  readonly packageName: unknown;
  readonly candidates: readonly string[];
}

const conditions = new Set(["node", "import", "module-sync", "default"]);

/**
 * Resolves `import "package/sub"` from a project's files. Node.js resolves only relative to the calling file, and
 * `require.resolve` would choose another file for a package with both module formats.
 */
export function resolvePackage(name: string, subpath: string, projectRoot: string): PackageEntry | undefined {
  const found = findPackage(name, projectRoot);
  if (found === undefined) return undefined;
  const { folder } = found;
  const { name: packageName, exports, main } = readPackageJson(folder) ?? {};
  if (exports !== undefined && exports !== null) {
    const target = pickExport(exports, subpath);
    return { ...found, packageName, candidates: target === undefined ? [] : [join(folder, target)] };
  }
  const file = subpath === "." ? (typeof main === "string" ? main : "index.js") : subpath;
  return {
    ...found,
    packageName,
    candidates: [file, `${file}.js`, `${file}/index.js`, "index.js"]
      .map((path) => join(folder, path))
      .slice(0, subpath === "." ? 4 : 3),
  };
}

function findPackage(name: string, projectRoot: string): Pick<PackageEntry, "folder" | "installedIn"> | undefined {
  const project = readPackageJson(projectRoot);
  // As in Node.js, a package can import itself if it has `exports`.
  if (project?.name === name && project.exports !== undefined) return { folder: projectRoot, installedIn: projectRoot };
  for (let at = projectRoot; ; at = dirname(at)) {
    const folder = join(at, "node_modules", name);
    if (readPackageJson(folder) !== undefined) return { folder, installedIn: at };
    if (at === dirname(at)) return undefined;
  }
}

/** The package.json of a folder; undefined if there is none. */
export function readPackageJson(folder: string): PackageJson | undefined {
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

// The pattern with the longest text before the star wins: `./features/*`.
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
