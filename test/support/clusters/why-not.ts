import { spawnSync } from "node:child_process";
import { accessSync, constants, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Daemons of Debian lie in folders that a plain user's PATH does not name. */
export const pathWithDaemons: string = [process.env["PATH"] ?? "/usr/bin:/bin", "/usr/sbin", "/sbin"].join(delimiter);

export const isRoot: boolean = process.getuid?.() === 0;

/** The file of a program, or undefined if it is not installed. */
export function findProgram(name: string): string | undefined {
  return pathWithDaemons
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/** The end of a suite's title that says why it is skipped. */
export function because(reason: string | undefined): string {
  return reason === undefined ? "" : ` (skipped: ${reason})`;
}

/** Why none of these daemons can be run in a process namespace of its own, or undefined when they can. */
export function whyNotDaemons(programs: readonly string[], { needsRoot = false } = {}): string | undefined {
  if (process.platform !== "linux") return "Linux only";
  if (needsRoot && !isRoot) return "root only";
  const missing = ["sh", "unshare", ...programs].filter((program) => findProgram(program) === undefined);
  if (missing.length > 0) return `not installed: ${missing.join(", ")}`;
  return whyNotNamespace();
}

/** slurmd refuses to start where no control groups are mounted, although its config says to use none. */
export function whyNotControlGroups(): string | undefined {
  const isMounted = readFileSync("/proc/mounts", "utf8").includes(" /sys/fs/cgroup ");
  return isMounted ? undefined : "nothing is mounted on /sys/fs/cgroup";
}

/** The options of `unshare` so that its child is the first process of a namespace that dies with it. */
export const processNamespace: readonly string[] = [
  ...(isRoot ? [] : ["--user", "--map-current-user"]),
  "--pid",
  "--fork",
  "--mount-proc",
  "--kill-child=KILL",
];

let namespaceRefusal: { readonly reason: string | undefined } | undefined;

function whyNotNamespace(): string | undefined {
  if (namespaceRefusal === undefined) {
    const { status, stderr } = spawnSync("unshare", [...processNamespace, "true"], { encoding: "utf8" });
    namespaceRefusal = { reason: status === 0 ? undefined : `no process namespace: ${stderr.trim()}` };
  }
  return namespaceRefusal.reason;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
