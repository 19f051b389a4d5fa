import { readFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { libraryPackage } from "../runtime/library-package.ts";
import type { CodeFile, CodePackage, CodeSnapshot, CodeSource } from "./code-snapshot.ts";
import { isSettled, stampOf, statOrUndefined } from "./file-stamp.ts";
import { normalText } from "./normal-text.ts";
import { openPackageReader } from "./read-package.ts";
import { isInPackages, pathOfUrl, type Resolved, realPath, resolveModule } from "./resolve-module.ts";
import { clearAliasCache } from "./tsconfig-paths.ts";

const scripts = /\.[mc]?[jt]s$/;
// A file of this size is generated: its comments are not edited, and reading its tokens would take long.
const maxTokenBytes = 1 << 20;
const scriptsWithMarkup = /\.[jt]sx$/;

/**
 * Reads the modules of a run's classes and everything that they import from the user's project. If the result will be
 * compared with an earlier snapshot, the same files are tokenized as then, because a worker knows fewer of the classes.
 */
export function digestCode({ classes, targets, cwd }: CodeSource, noted?: Pick<CodeSnapshot, "own">): CodeSnapshot {
  const packages = openPackageReader();
  const library = libraryPackage();
  const isLibrary = (path: string) => library !== undefined && path.startsWith(library.folder);
  const nowMs = Date.now();
  const files = new Map<string, CodeFile>();
  const used = new Map<string, CodePackage>();
  const unresolved = new Set<string>();
  const rootNames: string[] = [];
  const waiting: string[] = [];
  const seen = new Set<string>();
  const resolved = new Map<string, Resolved>();
  clearAliasCache();

  const roots = classes.map((one) => ({ ...one, path: rootOf(one.module, cwd) }));
  const firstPath = roots.find(({ path }) => path !== undefined && isAbsolute(path) && isProjectFile(path))?.path;
  const project = firstPath === undefined ? cwd : (packages.nearest(dirname(firstPath))?.folder ?? dirname(firstPath));
  const nameOf = (path: string) => {
    const name = path.startsWith(project + sep) ? path.slice(project.length + 1) : relative(project, path);
    return sep === "/" ? name : name.split(sep).join("/");
  };

  for (const { name, path, text } of roots) {
    if (path !== undefined && !isAbsolute(path)) follow(path, join(cwd, "package.json"), true);
    else if (path !== undefined && statOrUndefined(path)?.isFile()) visit(realPath(path), true);
    else if (text !== undefined) {
      const source = text();
      files.set(`class ${name}`, { sha256: digest(normalText(source) ?? source) });
      rootNames.push(`class ${name}`);
    } else unresolved.add(path ?? `class ${name}`);
  }
  for (const target of targets) follow(target, join(cwd, "package.json"), false);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) read(path);
  return {
    own: [...new Set(rootNames)],
    files: sorted(files),
    packages: sorted(used),
    unresolved: [...unresolved].sort(),
  };

  function isProjectFile(path: string): boolean {
    return !isLibrary(path) && !isInPackages(path);
  }

  function visit(path: string, isRoot: boolean): void {
    if (!isProjectFile(path)) {
      addPackageOf(path);
      return;
    }
    if (isRoot) rootNames.push(nameOf(path));
    // Marked as seen before reading: modules may import each other in a cycle.
    if (seen.has(path)) return;
    seen.add(path);
    waiting.push(path);
  }

  function read(path: string): void {
    const name = nameOf(path);
    let bytes: Buffer;
    try {
      bytes = readFileSync(path);
    } catch {
      unresolved.add(name);
      return;
    }
    const stat = statOrUndefined(path);
    const isScript = scripts.test(path);
    const text = isScript || scriptsWithMarkup.test(path) ? bytes.toString("utf8") : undefined;
    // A change of these two stops the run, so a comment in them must not count. A change of what they import is only
    // reported.
    const isOfClass = rootNames.includes(name) || noted?.own.includes(name) === true;
    const isNormal = isScript && isOfClass && bytes.length <= maxTokenBytes;
    const normal = isNormal && text !== undefined ? normalText(text) : undefined;
    files.set(name, {
      sha256: normal === undefined ? digest(bytes) : digest(`tokens\n${normal}`),
      ...(stat !== undefined && isSettled(stat, nowMs) ? { stamp: stampOf(stat) } : {}),
    });
    for (const specifier of text === undefined ? [] : findSpecifiers(normal ?? text)) follow(specifier, path, false);
  }

  function follow(specifier: string, from: string, isRoot: boolean): void {
    const key = `${dirname(from)}\n${specifier}`;
    const found = resolved.get(key) ?? resolveModule(specifier, from, packages);
    resolved.set(key, found);
    if (found.kind === "missing") unresolved.add(specifier);
    else if (found.kind === "package") addPackage(found.name, found.folder);
    else if (found.kind === "files") for (const path of found.paths) visit(path, isRoot);
  }

  function addPackageOf(path: string): void {
    const nearest = isLibrary(path) ? undefined : packages.nearest(dirname(path));
    if (nearest === undefined) addPackage("millrace", "");
    else addPackage(String(nearest.json.name), nearest.folder);
  }

  function addPackage(name: string, folder: string): void {
    if (name === "millrace") used.set(name, { version: library?.version ?? "unknown" });
    else used.set(name, { version: String(packages.read(folder)?.version ?? "unknown"), at: nameOf(folder) });
  }
}

// Also matches in strings and comments: a module that is listed without being imported does no harm.
const imported = /\b(?:from|import|require(?:\s*\.\s*resolve)?\s*\(|import\s*\()\s*(["'`])([^"'`\\\n$]+)\1/g;
const byUrl = /\bnew\s+URL\s*\(\s*(["'`])([^"'`\\\n$]+)\1\s*,\s*import\s*\.\s*meta\s*\.\s*url/g;
// Only scripts: data that is found by its URL may be of any size, and belongs to the config.
const moduleName = /\.(?:[mc]?[jt]sx?|wasm|node)$/;

/** The modules that a source text names: imports and requires of a literal, and scripts found by their URL. */
function findSpecifiers(text: string): string[] {
  const found = new Set<string>();
  for (const [, , specifier] of text.matchAll(imported)) found.add(specifier!);
  for (const [, , specifier] of text.matchAll(byUrl)) {
    if (!moduleName.test(specifier!)) continue;
    found.add(/^(?:\.|\/|[a-z]+:)/.test(specifier!) ? specifier! : `./${specifier}`);
  }
  return [...found];
}

/** Where the module of a class is: a path, or the name of a package. */
function rootOf(module: string | undefined, cwd: string): string | undefined {
  if (module === undefined) return undefined;
  if (module.startsWith("file:")) return pathOfUrl(module);
  return /^\.\.?[/\\]/.test(module) ? join(cwd, module) : module;
}

function digest(content: string | Uint8Array): string {
  // Imported lazily: a worker whose files are unchanged does not need it.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(content).digest("hex").slice(0, 16);
}

function sorted<T>(entries: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
