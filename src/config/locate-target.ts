import { existsSync, realpathSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { extname, isAbsolute, join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { nearestFile } from "./nearest-file.ts";
import { resolvePackage } from "./resolve-package.ts";

/** What a `_target_` names: a module, and the way to a function or class among its exports. */
export interface TargetLocation {
  readonly url: string;
  readonly exportPath: readonly string[];
}

/** Why a `_target_` is refused or not found. The caller knows where it stands. */
export class BadTarget extends Error {
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

const codeExtensions = [".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx"];
/** How a target is written. */
export const targetForms = "Write ./file.ts#Export, package#Export or package/sub#Export.";
const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i;

/** Finds the module of a target. Only files below the project's root and installed packages can be reached. */
export function locateTarget(target: string, projectRoot: string): TargetLocation {
  const at = target.indexOf("#");
  if (at === -1) throw new BadTarget("it names no export", targetForms);
  const exportPath = target.slice(at + 1).split(".");
  for (const name of exportPath) requireExportName(name);
  const module = target.slice(0, at);
  if (/[\0\\:?%]/.test(module)) throw new BadTarget("it is neither a file of the project nor a package", targetForms);
  if (module.startsWith("./")) return { url: locateFile(module, projectRoot), exportPath };
  if (module.startsWith("/") || module.startsWith("."))
    throw new BadTarget("it lies outside of the project", targetForms);
  return { url: locateInPackage(module, projectRoot), exportPath };
}

function requireExportName(name: string): void {
  if (!/^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name)) throw new BadTarget("it names no export", targetForms);
  if (["__proto__", "constructor", "prototype"].includes(name))
    throw new BadTarget(`${name} is not an export`, targetForms);
}

function locateFile(module: string, projectRoot: string): string {
  const path = join(projectRoot, module);
  requireInside(path, projectRoot);
  if (!isFile(path)) {
    const other =
      codeExtensions.map((extension) => path.slice(0, path.length - extname(path).length) + extension).find(isFile) ??
      nearestFile(path);
    const guess = other === undefined ? "" : `Did you mean ./${relative(projectRoot, other).split(sep).join("/")}? `;
    throw new BadTarget(`there is no file ${path}`, `${guess}Files are relative to the folder of package.json.`);
  }
  if (!codeExtensions.includes(extname(path))) {
    throw new BadTarget("it is not a module", `Its name has to end in one of ${codeExtensions.join(" ")}.`);
  }
  // A link inside the project may lead out of it.
  const real = realpathSync(path);
  requireInside(real, realpathSync(projectRoot));
  return pathToFileURL(real).href;
}

function locateInPackage(module: string, projectRoot: string): string {
  const parts = module.split("/");
  const name = parts.slice(0, module.startsWith("@") ? 2 : 1).join("/");
  const inside = parts.slice(module.startsWith("@") ? 2 : 1);
  if (isBuiltin(module) || isBuiltin(name))
    throw new BadTarget(
      "modules of Node.js itself are not reached from a config",
      "Write a function in a file of the project that does what is needed, and name that one.",
    );
  if (!packageName.test(name) || inside.some((part) => part === "" || part.startsWith("."))) {
    throw new BadTarget("it is neither a file of the project nor a package", targetForms);
  }
  const entry = resolvePackage(name, inside.length === 0 ? "." : `./${inside.join("/")}`, projectRoot);
  if (entry === undefined) {
    const isOwnFile = existsSync(join(projectRoot, module));
    throw new BadTarget(
      `no package ${name} is installed`,
      isOwnFile ? `A file of the project is written ./${module}.` : `Run npm install ${name}. ${targetForms}`,
    );
  }
  const path = entry.candidates.find(isFile);
  if (path === undefined)
    throw new BadTarget(
      `the package ${name} does not export ${inside.length === 0 ? "a module" : inside.join("/")}`,
      "Name one of the entries under exports in its package.json.",
    );
  // A package may be a link to elsewhere (workspaces), but its entry stays inside it.
  const real = realpathSync(path);
  requireInside(real, realpathSync(entry.folder));
  return pathToFileURL(real).href;
}

function requireInside(path: string, folder: string): void {
  const way = relative(folder, path);
  if (way === "" || way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) {
    throw new BadTarget("it lies outside of the project", `The project is ${folder}.`);
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
