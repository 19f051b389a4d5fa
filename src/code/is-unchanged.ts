import { isAbsolute, join, sep } from "node:path";
import { libraryPackage } from "../shared/library-package.ts";
import type { CodeSnapshot, CodeSource } from "./code-snapshot.ts";
import { lookUp, stampOf } from "./file-stamp.ts";
import { readPackage } from "./read-package.ts";

/**
 * Whether the files of a state of the code are all as they were, by size and times alone. False where that cannot be told:
 * then they are read. What is needed for that is not loaded here.
 */
export function isUnchanged(code: CodeSnapshot, { classes, targets }: CodeSource): boolean {
  const modules = classes.map(({ module }) => pathOf(module));
  const project = projectOf(code, modules);
  if (project === undefined) return false;
  const isNoted = (path: string) => path.startsWith(project) && Object.hasOwn(code.files, path.slice(project.length));
  // Another module than before has not been compared with anything.
  const areNoted = modules.every((path) => path !== undefined && (isNoted(path) || isInstalled(path)));
  if (!areNoted || !targets.filter(isAbsolute).every(isNoted)) return false;
  for (const [name, { stamp }] of Object.entries(code.files)) {
    const stat = stamp === undefined ? undefined : lookUp(join(project, name));
    if (stat === undefined || stampOf(stat) !== stamp) return false;
  }
  return Object.values(code.packages).every(
    (one) => one.version === (one.at === undefined ? libraryPackage() : readPackage(join(project, one.at)))?.version,
  );
}

function pathOf(module: string | undefined): string | undefined {
  return module?.startsWith("file:") ? decodeURIComponent(new URL(module).pathname) : undefined;
}

/** The folder that the names are relative to, on this host: a module of the classes is known by both. */
function projectOf({ own }: CodeSnapshot, modules: readonly (string | undefined)[]): string | undefined {
  for (const path of modules) {
    const name = own.find((one) => path?.endsWith(`/${one}`));
    if (path !== undefined && name !== undefined) return path.slice(0, -name.length);
  }
  return undefined;
}

function isInstalled(path: string): boolean {
  const library = libraryPackage();
  return path.includes(`${sep}node_modules${sep}`) || (library !== undefined && path.startsWith(library.folder));
}
