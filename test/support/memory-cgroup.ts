import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A cgroup with a memory limit, or why none can be made here. */
export type MemoryCgroup = { readonly procs: string; remove(): void } | { readonly whyNot: string };

const root = "/sys/fs/cgroup";

/** Makes a cgroup with a memory limit, of the first or the second version; that takes rights over cgroups. */
export function makeMemoryCgroup(name: string, bytes: number): MemoryCgroup {
  const isFirst = existsSync(join(root, "memory", "memory.limit_in_bytes"));
  if (!isFirst && !hasSecond()) return { whyNot: "there is no memory controller for cgroups here" };
  const folder = join(root, ...(isFirst ? ["memory"] : []), name);
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, isFirst ? "memory.limit_in_bytes" : "memory.max"), String(bytes));
  } catch (error) {
    return { whyNot: `no cgroup can be made here: ${String(error)}` };
  }
  return { procs: join(folder, "cgroup.procs"), remove: () => removeCgroup(folder) };
}

/** The kernel keeps a cgroup busy for a moment after its last process has ended. */
function removeCgroup(folder: string): void {
  for (let left = 500; ; left--) {
    try {
      rmdirSync(folder);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== "EBUSY" || left === 0) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }
}

function hasSecond(): boolean {
  try {
    return readFileSync(join(root, "cgroup.subtree_control"), "utf8").includes("memory");
  } catch {
    return false;
  }
}
