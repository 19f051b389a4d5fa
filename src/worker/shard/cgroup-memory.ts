import { readFileSync } from "node:fs";
import { join } from "node:path";

// The mount point of cgroups, version 2 and version 1.
const root = "/sys/fs/cgroup";

/** The memory limit of this process's cgroup in bytes; undefined if there is none, or it cannot be read. */
export function cgroupMemoryLimit(): number | undefined {
  const limits = [...foldersOfVersion2().map(limitOfVersion2), ...foldersOfVersion1().map(limitOfVersion1)];
  const smallest = Math.min(...limits.filter((limit) => limit !== undefined));
  // In version 1 a very large number means "no limit".
  return smallest < 2 ** 60 ? smallest : undefined;
}

/** How many processes the kernel has killed for lack of memory, and which counter says so. */
export interface OomKills {
  readonly where: "cgroup" | "host";
  readonly count: number;
}

/**
 * Reads the kernel's counter of processes killed for lack of memory: of this process's cgroup, or else of the host.
 * Undefined if neither can be read. A cgroup also counts processes that were killed because the whole host had too
 * little memory, so a cgroup without a limit counts as the host.
 */
export function countOomKills(): OomKills | undefined {
  const where = cgroupMemoryLimit() === undefined ? "host" : "cgroup";
  for (const folder of foldersOfVersion2()) {
    const count = numberAfter("oom_kill", read(join(folder, "memory.events")));
    if (count !== undefined) return { where, count };
  }
  for (const folder of foldersOfVersion1()) {
    const count = numberAfter("oom_kill", read(join(folder, "memory.oom_control")));
    if (count !== undefined) return { where, count };
  }
  const count = numberAfter("oom_kill", read("/proc/vmstat"));
  return count === undefined ? undefined : { where: "host", count };
}

/** The folders of the cgroup and its parents, which limit it too, the innermost first. */
function foldersOfVersion2(): string[] {
  const path = /^0::(\/.*)$/m.exec(read("/proc/self/cgroup"))?.[1];
  if (path === undefined || path.includes("..")) return [];
  const names = path.split("/").filter((name) => name !== "");
  return names.map((_name, i) => join(root, ...names.slice(0, names.length - i))).concat(root);
}

/** The same for version 1. In a container the cgroup may appear as the root. */
function foldersOfVersion1(): string[] {
  const path = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(\/.*)$/m.exec(read("/proc/self/cgroup"))?.[1];
  if (path === undefined) return [];
  const top = join(root, "memory");
  return path.includes("..") ? [top] : [join(top, path), top];
}

function limitOfVersion2(folder: string): number | undefined {
  const text = read(join(folder, "memory.max")).trim();
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function limitOfVersion1(folder: string): number | undefined {
  return numberAfter("hierarchical_memory_limit", read(join(folder, "memory.stat")));
}

function numberAfter(key: string, text: string): number | undefined {
  const digits = new RegExp(`^${key} (\\d+)$`, "m").exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
