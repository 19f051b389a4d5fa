import { readFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { libraryFolder } from "../shared/library-folder.ts";
import { version } from "../shared/version.ts";
import type { CodeFile, CodePackage, CodeSnapshot, CodeSource } from "./code-snapshot.ts";
import { isSettled, lookUp, stampOf } from "./file-stamp.ts";
import { findSpecifiers } from "./find-specifiers.ts";
import { normalText } from "./normal-text.ts";
import { openPackageReader } from "./read-package.ts";
import { isInPackages, pathOfUrl, realPath, resolveModule } from "./resolve-module.ts";
import { forgetAliases } from "./tsconfig-paths.ts";

const scripts = /\.[mc]?[jt]s$/;
const scriptsWithMarkup = /\.[jt]sx$/;

/** Reads the modules of a run's classes and all that these import from the user's own project. */
export function digestCode({ classes, targets, cwd }: CodeSource): CodeSnapshot {
  const packages = openPackageReader();
  const library = libraryFolder();
  const nowMs = Date.now();
  const files = new Map<string, CodeFile>();
  const used = new Map<string, CodePackage>();
  const unresolved = new Set<string>();
  const own: string[] = [];
  const waiting: string[] = [];
  forgetAliases();

  const roots = classes.map((one) => ({ ...one, path: rootOf(one.module, cwd) }));
  const firstPath = roots.find(({ path }) => path !== undefined && isAbsolute(path) && isOwnFile(path))?.path;
  const project = firstPath === undefined ? cwd : (packages.nearest(dirname(firstPath))?.folder ?? dirname(firstPath));
  const nameOf = (path: string) => relative(project, path).split(sep).join("/");

  for (const { name, path, text } of roots) {
    if (path !== undefined && !isAbsolute(path)) follow(path, join(cwd, "package.json"), true);
    else if (path !== undefined && lookUp(path)?.isFile()) visit(realPath(path), true);
    else if (text !== undefined) {
      const source = text();
      files.set(`class ${name}`, { sha256: digest(normalText(source) ?? source) });
      own.push(`class ${name}`);
    } else unresolved.add(path ?? `class ${name}`);
  }
  for (const target of targets) follow(target, join(cwd, "package.json"), false);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) read(path);
  return {
    own: [...new Set(own)],
    files: sorted(files),
    packages: sorted(used),
    unresolved: [...unresolved].sort(),
  };

  function isOwnFile(path: string): boolean {
    return !path.startsWith(library) && !isInPackages(path);
  }

  function visit(path: string, isRoot: boolean): void {
    if (!isOwnFile(path)) {
      addPackageOf(path);
      return;
    }
    const name = nameOf(path);
    if (isRoot) own.push(name);
    if (files.has(name)) return;
    // Its place is taken at once: modules import each other in circles.
    files.set(name, { sha256: "" });
    waiting.push(path);
  }

  function read(path: string): void {
    const name = nameOf(path);
    let bytes: Buffer;
    try {
      bytes = readFileSync(path);
    } catch {
      files.delete(name);
      unresolved.add(name);
      return;
    }
    const stat = lookUp(path);
    const isScript = scripts.test(path);
    const text = isScript || scriptsWithMarkup.test(path) ? bytes.toString("utf8") : undefined;
    const normal = isScript && text !== undefined ? normalText(text) : undefined;
    files.set(name, {
      sha256: normal === undefined ? digest(bytes) : digest(`tokens\n${normal}`),
      ...(stat !== undefined && isSettled(stat, nowMs) ? { stamp: stampOf(stat) } : {}),
    });
    for (const specifier of text === undefined ? [] : findSpecifiers(normal ?? text)) follow(specifier, path, false);
  }

  function follow(specifier: string, from: string, isRoot: boolean): void {
    const found = resolveModule(specifier, from, packages);
    if (found.kind === "missing") unresolved.add(specifier);
    else if (found.kind === "package") addPackage(found.name, found.folder);
    else if (found.kind === "files") for (const path of found.paths) visit(path, isRoot);
  }

  function addPackageOf(path: string): void {
    if (path.startsWith(library)) addPackage("millrace", "");
    const nearest = path.startsWith(library) ? undefined : packages.nearest(dirname(path));
    if (nearest !== undefined) addPackage(String(nearest.json.name), nearest.folder);
  }

  function addPackage(name: string, folder: string): void {
    if (name === "millrace") used.set(name, { version: version() });
    else used.set(name, { version: String(packages.read(folder)?.version ?? "unknown"), at: nameOf(folder) });
  }
}

/** Where the module of a class is: a path, or the name of a package. */
function rootOf(module: string | undefined, cwd: string): string | undefined {
  if (module === undefined) return undefined;
  if (module.startsWith("file:")) return pathOfUrl(module);
  return /^\.\.?[/\\]/.test(module) ? join(cwd, module) : module;
}

function digest(content: string | Uint8Array): string {
  // Not imported: a worker whose files are as they were does without it.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(content).digest("hex").slice(0, 16);
}

function sorted<T>(entries: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
