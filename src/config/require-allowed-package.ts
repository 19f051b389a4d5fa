import { realpathSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import { nearestName } from "../text/nearest-name.ts";
import { isPlainObject } from "../values/state-json.ts";
import { BadTarget } from "./bad-target.ts";
import { millraceTargets } from "./millrace-targets.ts";
import { type PackageEntry, readPackageJson } from "./resolve-package.ts";

interface PackageTarget extends PackageEntry {
  readonly name: string;
  readonly subpath: string;
  readonly exportPath: readonly string[];
  readonly projectRoot: string;
}

// All lists that an author writes by hand: development dependencies are in the same node_modules.
const listings = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

/** Refuses a package that the project does not list: a config must not use transitive dependencies. */
export function requireAllowedPackage(target: PackageTarget): void {
  if (target.packageName === "millrace") {
    requireMarkedTarget(target);
    return;
  }
  const { name, projectRoot, installedIn, folder } = target;
  // In a workspace, another package.json beside the node_modules may list the package.
  if (isListed(name, projectRoot) || isListed(name, installedIn) || isOfWorkspace(folder, installedIn)) return;
  throw new BadTarget(
    `the package ${name} is installed, but the project does not list it`,
    `Add it to package.json: npm install ${name}. A config reaches files of its project, packages that package.json lists, and targets of millrace.`,
  );
}

function requireMarkedTarget({ subpath, exportPath }: PackageTarget): void {
  const name = exportPath.join(".");
  const marked = millraceTargets[subpath] ?? [];
  if (marked.includes(name)) return;
  const near = nearestName(name, marked);
  throw new BadTarget(
    `${name} of millrace is not a target`,
    `${near === undefined ? "" : `Did you mean ${near}? `}${marked.length === 0 ? "" : `Targets are ${marked.join(", ")}. `}For anything else write a function in a file of the project, and name that one.`,
  );
}

function isListed(name: string, folder: string): boolean {
  const described = readPackageJson(folder);
  return listings.some((key) => {
    const listed = described?.[key];
    return isPlainObject(listed) && Object.hasOwn(listed, name);
  });
}

/** True if a package is a link to a folder of the same workspace. */
function isOfWorkspace(folder: string, installedIn: string): boolean {
  const way = relative(realpathSync(installedIn), realpathSync(folder));
  const [first, ...others] = way.split(sep);
  return first !== ".." && !isAbsolute(way) && ![first, ...others].includes("node_modules");
}
