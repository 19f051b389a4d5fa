import type { Disk, DiskNode } from "../machine/disk.ts";

/** A file or folder of the run folder at one moment. */
export interface SnapshotEntry {
  /** Below the run folder; folders end with a slash. */
  readonly path: string;
  /** Of a file; undefined for a folder. */
  readonly bytes: Uint8Array | undefined;
  /** When it was last changed, by the machine's clock. */
  readonly changedMs: number;
  /** The inode number: names of the same file have the same number. */
  readonly number: number;
}

/** Everything below a folder, ordered by name. Temporary files are excluded. */
export function takeSnapshot(disk: Disk, folder: string): readonly SnapshotEntry[] {
  const top = disk.find(folder);
  return top?.kind === "folder" ? [...walk(top, "")] : [];
}

function* walk(folder: Extract<DiskNode, { kind: "folder" }>, below: string): Generator<SnapshotEntry> {
  const names = [...folder.entries.keys()].filter((name) => !isPassing(name)).sort(byName);
  for (const name of names) {
    const node = folder.entries.get(name)!;
    const { changedMs, number } = node;
    if (node.kind === "file") yield { path: below + name, bytes: node.bytes, changedMs, number };
    else {
      yield { path: `${below}${name}/`, bytes: undefined, changedMs, number };
      yield* walk(node, `${below}${name}/`);
    }
  }
}

/** Temporary files, and those with which the file system's clock is read. */
export function isPassing(name: string): boolean {
  return name.endsWith(".tmp") || name.startsWith(".clock-");
}

const collator = new Intl.Collator("en", { numeric: true });

function byName(a: string, b: string): number {
  return collator.compare(a, b);
}
