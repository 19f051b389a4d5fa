import { readFileSync, realpathSync } from "node:fs";
import { dirname, sep } from "node:path";

/** The file system that holds a path. */
export interface FileSystem {
  /** As the kernel names it, such as `ext4`, `nfs4` or `fuse.sshfs`; `unknown` if the system does not say. */
  readonly type: string;
  /** Where it is mounted; empty if that is not known. */
  readonly mount: string;
  /**
   * One kernel serves all its users, so every process sees each change at once. False for network file systems, for those
   * in user space, and if the type is not known.
   */
  readonly isLocal: boolean;
}

const localTypes = new Set([
  "bcachefs",
  "btrfs",
  "exfat",
  "ext2",
  "ext3",
  "ext4",
  "f2fs",
  "jfs",
  "ntfs3",
  "overlay",
  "ramfs",
  "reiserfs",
  "tmpfs",
  "vfat",
  "xfs",
  "zfs",
]);

const unknown: FileSystem = { type: "unknown", mount: "", isLocal: false };

/** The file system of a path, which need not exist yet. Only Linux says it; on other systems it is `unknown`. */
export function fileSystemOf(path: string): FileSystem {
  let mounts: string;
  try {
    mounts = readFileSync("/proc/self/mountinfo", "utf8");
  } catch {
    return unknown;
  }
  return findMount(mounts, realPath(path)) ?? unknown;
}

const shared = new Map<string, boolean>();
const maxRemembered = 1000;

/**
 * Whether several kernels may use the file system of a folder, so that a call may be sent twice and a cache may be old.
 * Remembered: a folder stays on its file system.
 */
export function isShared(folder: string): boolean {
  const known = shared.get(folder);
  if (known !== undefined) return known;
  const { type, isLocal } = fileSystemOf(folder);
  const found = !isLocal && type !== unknown.type;
  if (shared.size >= maxRemembered) shared.clear();
  shared.set(folder, found);
  return found;
}

/**
 * The mount of a path in the text of `/proc/self/mountinfo`. If several are mounted at one place, the last one hides
 * the others.
 */
export function findMount(mountinfo: string, path: string): FileSystem | undefined {
  let found: FileSystem | undefined;
  for (const line of mountinfo.split("\n")) {
    const [before = "", after = ""] = line.split(" - ", 2);
    const mount = unescapeOctal(before.split(" ")[4] ?? "");
    const type = after.split(" ")[0] ?? "";
    if (mount === "" || type === "" || !isBelow(path, mount)) continue;
    if (found === undefined || mount.length >= found.mount.length)
      found = { type, mount, isLocal: localTypes.has(type) };
  }
  return found;
}

function isBelow(path: string, folder: string): boolean {
  return folder === sep || path === folder || path.startsWith(folder + sep);
}

// The kernel writes blanks, tabs, line breaks and backslashes as octal numbers.
function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : realPath(parent);
  }
}
