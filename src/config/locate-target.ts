import { existsSync, realpathSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { extname, isAbsolute, join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { BadTarget, targetForms } from "./bad-target.ts";
import { nearestFile } from "./nearest-file.ts";
import { requireAllowedPackage } from "./require-allowed-package.ts";
import { resolvePackage } from "./resolve-package.ts";

/** What a `_target_` names: a module, and the path of a function or class in its exports. */
export interface TargetLocation {
  readonly url: string;
  readonly exportPath: readonly string[];
}

const codeExtensions = [".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx"];
const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i;

/**
 * Finds the module of a target. Only files below the project root, packages that the project lists or the caller
 * allows, and the marked exports of this package can be used.
 */
export function locateTarget(target: string, projectRoot: string, allow: readonly string[] = []): TargetLocation {
  const at = target.indexOf("#");
  if (at === -1) throw new BadTarget("it names no export", targetForms);
  const exportPath = target.slice(at + 1).split(".");
  for (const name of exportPath) requireExportName(name);
  const module = target.slice(0, at);
  if (/[\0\\:?%]/.test(module)) throw new BadTarget("it is neither a file of the project nor a package", targetForms);
  if (module.startsWith("./")) return { url: locateFile(module, projectRoot), exportPath };
  if (module.startsWith("/") || module.startsWith("."))
    throw new BadTarget("it lies outside of the project", targetForms);
  return { url: locateInPackage(module, exportPath, { projectRoot, allow }), exportPath };
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
  // A link inside the project may point outside.
  const [real, root] = [realpathSync(path), realpathSync(projectRoot)];
  requireInside(real, root);
  if (relative(root, real).split(sep).includes("node_modules"))
    throw new BadTarget(
      "it is a file of an installed package",
      "Write package#Export or package/sub#Export, for a package that package.json lists.",
    );
  return pathToFileURL(real).href;
}

function locateInPackage(
  module: string,
  exportPath: readonly string[],
  { projectRoot, allow }: { readonly projectRoot: string; readonly allow: readonly string[] },
): string {
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
  const subpath = inside.length === 0 ? "." : `./${inside.join("/")}`;
  const entry = resolvePackage(name, subpath, projectRoot);
  if (entry === undefined) {
    const isProjectFile = existsSync(join(projectRoot, module));
    throw new BadTarget(
      `no package ${name} is installed`,
      isProjectFile ? `A file of the project is written ./${module}.` : `Run npm install ${name}. ${targetForms}`,
    );
  }
  if (!allow.includes(name)) requireAllowedPackage({ ...entry, name, subpath, exportPath, projectRoot });
  const path = entry.candidates.find(isFile);
  if (path === undefined)
    throw new BadTarget(
      `the package ${name} does not export ${inside.length === 0 ? "a module" : inside.join("/")}`,
      "Name one of the entries under exports in its package.json.",
    );
  // A package may be a link (workspaces), but its entry must be inside it.
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
