import { basename, dirname } from "./posix-path.ts";

export interface FileNode {
  readonly kind: "file";
  readonly number: number;
  /** Replaced with every write, never changed, so observers may keep it. */
  bytes: Uint8Array;
  changedMs: number;
}

export interface FolderNode {
  readonly kind: "folder";
  readonly number: number;
  readonly entries: Map<string, DiskNode>;
  changedMs: number;
}

export type DiskNode = FileNode | FolderNode;

/** A failed call, as Node.js reports it. */
export class DiskError extends Error {
  readonly code: string;
  readonly syscall: string;
  readonly path: string;

  constructor(code: string, syscall: string, path: string) {
    super(`${code}: ${syscall} '${path}'`);
    this.code = code;
    this.syscall = syscall;
    this.path = path;
  }
}

/** A file system in memory: names, nodes and a clock. A name refers to a node, and a file may have several names. */
export class Disk {
  readonly #now: () => number;
  readonly #root: FolderNode;
  #numbers = 1;

  constructor(now: () => number) {
    this.#now = now;
    this.#root = this.#newFolder();
  }

  find(path: string): DiskNode | undefined {
    let node: DiskNode = this.#root;
    for (const name of path.split("/")) {
      if (name === "") continue;
      if (node.kind !== "folder") return undefined;
      const next = node.entries.get(name);
      if (next === undefined) return undefined;
      node = next;
    }
    return node;
  }

  require(path: string, call: string): DiskNode {
    const node = this.find(path);
    if (node === undefined) throw new DiskError("ENOENT", call, path);
    return node;
  }

  requireFile(path: string, call: string): FileNode {
    const node = this.require(path, call);
    if (node.kind === "folder") throw new DiskError("EISDIR", call, path);
    return node;
  }

  requireFolder(path: string, call: string): FolderNode {
    const node = this.require(path, call);
    if (node.kind === "file") throw new DiskError("ENOTDIR", call, path);
    return node;
  }

  makeFolder(path: string): void {
    const parent = this.requireFolder(dirname(path), "mkdir");
    if (parent.entries.has(basename(path))) throw new DiskError("EEXIST", "mkdir", path);
    this.#put(parent, basename(path), this.#newFolder());
  }

  /** The file of a name, created if it does not exist. */
  makeFile(path: string, { isExclusive = false }: { readonly isExclusive?: boolean } = {}): FileNode {
    const parent = this.requireFolder(dirname(path), "open");
    const there = parent.entries.get(basename(path));
    if (there !== undefined && isExclusive) throw new DiskError("EEXIST", "open", path);
    if (there?.kind === "folder") throw new DiskError("EISDIR", "open", path);
    if (there !== undefined) return there;
    const made: FileNode = {
      kind: "file",
      number: this.#numbers++,
      bytes: new Uint8Array(0),
      changedMs: this.#now(),
    };
    this.#put(parent, basename(path), made);
    return made;
  }

  write(file: FileNode, bytes: Uint8Array, at: number): void {
    const whole = new Uint8Array(Math.max(file.bytes.length, at + bytes.length));
    whole.set(file.bytes);
    whole.set(bytes, at);
    file.bytes = whole;
    file.changedMs = this.#now();
  }

  truncate(file: FileNode): void {
    file.bytes = new Uint8Array(0);
    file.changedMs = this.#now();
  }

  link(from: string, to: string): void {
    const file = this.require(from, "link");
    const parent = this.requireFolder(dirname(to), "link");
    if (parent.entries.has(basename(to))) throw new DiskError("EEXIST", "link", to);
    if (file.kind === "folder") throw new DiskError("EPERM", "link", from);
    this.#put(parent, basename(to), file);
  }

  rename(from: string, to: string): void {
    const node = this.require(from, "rename");
    const target = this.requireFolder(dirname(to), "rename");
    const there = target.entries.get(basename(to));
    // Renaming one name of a file onto another name of the same file does nothing.
    if (there === node) return;
    if (to.startsWith(`${from}/`)) throw new DiskError("EINVAL", "rename", to);
    // A rename onto a parent folder fails, because the parent is not empty.
    if (from.startsWith(`${to}/`)) throw new DiskError("ENOTEMPTY", "rename", to);
    if (there?.kind === "folder") {
      if (node.kind === "file") throw new DiskError("EISDIR", "rename", to);
      if (there.entries.size > 0) throw new DiskError("ENOTEMPTY", "rename", to);
    } else if (there !== undefined && node.kind === "folder") throw new DiskError("ENOTDIR", "rename", to);
    this.unlink(from);
    this.#put(target, basename(to), node);
  }

  /** Removes a name, whatever it refers to. */
  unlink(path: string): void {
    const parent = this.requireFolder(dirname(path), "unlink");
    if (!parent.entries.delete(basename(path))) throw new DiskError("ENOENT", "unlink", path);
    parent.changedMs = this.#now();
  }

  #put(parent: FolderNode, name: string, node: DiskNode): void {
    parent.entries.set(name, node);
    parent.changedMs = this.#now();
  }

  #newFolder(): FolderNode {
    return { kind: "folder", number: this.#numbers++, entries: new Map(), changedMs: this.#now() };
  }
}
