import type { Disk, DiskNode } from "../machine/disk.ts";

/** A file or folder of the run folder at one moment. */
export interface SnapshotEntry {
  /** Below the run folder; folders end with a slash. */
  readonly path: string;
  /** Of a file; undefined for a folder. */
  readonly bytes: Uint8Array | undefined;
  /** When it was last changed, by the machine's clock. */
  readonly changedMs: number;
  /** Names of one file have one number. */
  readonly number: number;
}

/** Everything below a folder, in the order of the names. What is there for a moment only is left out. */
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

/** Files on their way to another name, and those by which the clock of the file system is read. */
export function isPassing(name: string): boolean {
  return name.endsWith(".tmp") || name.startsWith(".clock-");
}

const collator = new Intl.Collator("en", { numeric: true });

function byName(a: string, b: string): number {
  return collator.compare(a, b);
}
