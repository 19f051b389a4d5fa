import { isAbsolute, join, sep } from "node:path";
import { libraryPackage } from "../runtime/library-package.ts";
import type { CodeSnapshot, CodeSource } from "./code-snapshot.ts";
import { stampOf, statOrUndefined } from "./file-stamp.ts";
import { readPackage } from "./read-package.ts";

/**
 * True if all files of a snapshot have the same size and times. False if that is not certain; the caller then reads the
 * files. The code that reads them is not loaded here.
 */
export function isUnchanged(code: CodeSnapshot, { classes, targets }: CodeSource): boolean {
  const modules = classes.map(({ module }) => pathOf(module));
  const project = projectOf(code, modules);
  if (project === undefined) return false;
  const isInSnapshot = (path: string) =>
    path.startsWith(project) && Object.hasOwn(code.files, path.slice(project.length));
  // A module that is not in the snapshot has never been compared.
  const areInSnapshot = modules.every((path) => path !== undefined && (isInSnapshot(path) || isInstalled(path)));
  if (!areInSnapshot || !targets.filter(isAbsolute).every(isInSnapshot)) return false;
  for (const [name, { stamp }] of Object.entries(code.files)) {
    const stat = stamp === undefined ? undefined : statOrUndefined(join(project, name));
    if (stat === undefined || stampOf(stat) !== stamp) return false;
  }
  return Object.values(code.packages).every(
    (one) => one.version === (one.at === undefined ? libraryPackage() : readPackage(join(project, one.at)))?.version,
  );
}

function pathOf(module: string | undefined): string | undefined {
  return module?.startsWith("file:") ? decodeURIComponent(new URL(module).pathname) : undefined;
}

/** The project folder on this host. It is derived from a module whose relative and absolute path are both known. */
function projectOf({ own: rootNames }: CodeSnapshot, modules: readonly (string | undefined)[]): string | undefined {
  for (const path of modules) {
    const name = rootNames.find((one) => path?.endsWith(`/${one}`));
    if (path !== undefined && name !== undefined) return path.slice(0, -name.length);
  }
  return undefined;
}

function isInstalled(path: string): boolean {
  const library = libraryPackage();
  return path.includes(`${sep}node_modules${sep}`) || (library !== undefined && path.startsWith(library.folder));
}
