import { ByteBuffer } from "./byte-buffer.ts";
import { DiskError, type DiskNode, type FileNode } from "./disk.ts";
import { dirname } from "./posix-path.ts";
import type { Program } from "./program.ts";

interface OpenFile {
  readonly path: string;
  readonly node: DiskNode;
  readonly isAppending: boolean;
  position: number;
}

type Content = string | Uint8Array;
interface ReadOptions {
  readonly encoding?: string;
}
interface Stat {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
  readonly nlink: number;
  isDirectory(): boolean;
  isFile(): boolean;
  isSymbolicLink(): boolean;
}

// As on Linux. The machine's disk has no symbolic links and no pipes.
const constants = {
  O_RDONLY: 0,
  O_WRONLY: 1,
  O_CREAT: 0o100,
  O_APPEND: 0o2000,
  O_NONBLOCK: 0o4000,
  O_NOFOLLOW: 0o400000,
  COPYFILE_EXCL: 1,
} as const;

/** The flag letters for numeric flags. */
function flagsOf(flags: string | number): string {
  if (typeof flags === "string") return flags;
  if ((flags & constants.O_APPEND) !== 0) return "a";
  return (flags & constants.O_WRONLY) !== 0 ? "r+" : "r";
}

/** `node:fs` of a program on the machine: the functions that the library calls, on the machine's disk. */
export function nodeFs(program: Program): object {
  return makeFs(program);
}

function makeFs(program: Program) {
  const { disk } = program.machine;
  const files = new Map<number, OpenFile>();
  let nextFd = 3;

  const at = (path: string | URL) => program.path(String(path));
  const bytesOf = (content: Content) => (typeof content === "string" ? new TextEncoder().encode(content) : content);
  const handle = (fd: number, call: string) => {
    const file = files.get(fd);
    if (file === undefined) throw new DiskError("EBADF", call, String(fd));
    return file;
  };
  const asFile = ({ node, path }: OpenFile, call: string): FileNode => {
    if (node.kind === "folder") throw new DiskError("EISDIR", call, path);
    return node;
  };
  const statOf = (node: DiskNode): Stat => ({
    size: node.kind === "file" ? node.bytes.length : 0,
    mtimeMs: node.changedMs,
    ino: node.number,
    isDirectory: () => node.kind === "folder",
    isFile: () => node.kind === "file",
    isSymbolicLink: () => false,
    nlink: 1,
  });

  function openSync(given: string, asked: string | number = "r"): number {
    const path = at(given);
    const flags = flagsOf(asked);
    program.mustLive();
    const isReading = flags.startsWith("r");
    const node = isReading
      ? disk.require(path, "open")
      : disk.find(path) !== undefined && flags === "w"
        ? disk.requireFile(path, "open")
        : program.change({ do: "make", path }, () => disk.makeFile(path, { isExclusive: flags.includes("x") }));
    if (flags === "w" && node.kind === "file" && node.bytes.length > 0)
      program.change({ do: "make", path }, () => disk.truncate(node));
    files.set(nextFd, { path, node, isAppending: flags.startsWith("a"), position: 0 });
    return nextFd++;
  }

  function closeSync(fd: number): void {
    files.delete(fd);
  }

  function writeSync(fd: number, content: Content, ...places: readonly (number | null | undefined)[]): number {
    const file = handle(fd, "write");
    const node = asFile(file, "write");
    const whole = bytesOf(content);
    // A text is followed by its position in the file; bytes are followed by an offset and length, then the position.
    const [from, length, position] = typeof content === "string" ? [0, whole.length, places[0]] : places;
    const bytes = whole.slice(from ?? 0, (from ?? 0) + (length ?? whole.length - (from ?? 0)));
    const place = file.isAppending ? node.bytes.length : (position ?? file.position);
    program.change({ do: "write", path: file.path, bytes }, () => disk.write(node, bytes, place));
    if (position === undefined || position === null) file.position = place + bytes.length;
    return bytes.length;
  }

  function readSync(fd: number, into: Uint8Array, offset = 0, length = into.length, position?: number | null): number {
    program.mustLive();
    const file = handle(fd, "read");
    const from = position ?? file.position;
    const bytes = asFile(file, "read").bytes.subarray(from, from + length);
    into.set(bytes, offset);
    if (position === undefined || position === null) file.position += bytes.length;
    return bytes.length;
  }

  function readFileSync(source: string | URL | number, options?: string | ReadOptions): string | ByteBuffer {
    program.mustLive();
    const bytes = typeof source === "number" ? asFile(handle(source, "read"), "read").bytes : readWhole(at(source));
    const encoding = typeof options === "string" ? options : options?.encoding;
    const copy = new ByteBuffer(bytes.length);
    copy.set(bytes);
    return encoding === undefined ? copy : copy.toString(encoding);
  }

  function readWhole(path: string): Uint8Array {
    if (!path.startsWith("/proc/")) return disk.requireFile(path, "open").bytes;
    const text = program.machine.readProc(path, program);
    if (text === undefined) throw new DiskError("ENOENT", "open", path);
    return bytesOf(text);
  }

  function writeFileSync(target: string | number, content: Content, options?: { readonly flag?: string }): void {
    const fd = typeof target === "number" ? target : openSync(target, options?.flag ?? "w");
    const bytes = bytesOf(content);
    if (bytes.length > 0) writeSync(fd, bytes);
    if (typeof target !== "number") closeSync(fd);
  }

  function mkdirSync(given: string, { recursive = false }: { readonly recursive?: boolean } = {}): void {
    const path = at(given);
    program.mustLive();
    if (recursive && disk.find(path)?.kind === "folder") return;
    if (recursive && disk.find(dirname(path)) === undefined) mkdirSync(dirname(path), { recursive });
    program.change({ do: "make", path }, () => disk.makeFolder(path));
  }

  function renameSync(from: string, to: string): void {
    program.change({ do: "move", path: at(from), to: at(to) }, () => disk.rename(at(from), at(to)));
  }

  function unlinkSync(path: string): void {
    program.mustLive();
    if (disk.require(at(path), "unlink").kind === "folder") throw new DiskError("EISDIR", "unlink", path);
    program.change({ do: "remove", path: at(path) }, () => disk.unlink(at(path)));
  }

  function rmSync(given: string, { force = false }: { readonly force?: boolean } = {}): void {
    const path = at(given);
    program.mustLive();
    if (disk.find(dirname(path))?.kind === "file") throw new DiskError("ENOTDIR", "rm", path);
    if (disk.find(path) === undefined && force) return;
    program.change({ do: "remove", path }, () => disk.unlink(path));
  }

  function statSync(given: string, { throwIfNoEntry = true }: { readonly throwIfNoEntry?: boolean } = {}) {
    program.mustLive();
    const node = disk.find(at(given));
    if (node === undefined && !throwIfNoEntry) return undefined;
    return statOf(node ?? disk.require(at(given), "stat"));
  }

  function readdirSync(given: string, options?: { readonly withFileTypes?: boolean }) {
    program.mustLive();
    const { entries } = disk.requireFolder(at(given), "scandir");
    if (options?.withFileTypes !== true) return [...entries.keys()];
    return [...entries].map(([name, node]) => ({ name, ...statOf(node) }));
  }

  /** The asynchronous form of a call. */
  const later =
    <Answer>(call: () => Answer, done: (error: unknown, answer?: Answer) => void) =>
    () => {
      let answer: Answer;
      try {
        answer = call();
      } catch (error) {
        done(error);
        return;
      }
      done(null, answer);
    };
  const soon = (act: () => void) => void program.after(0, act);

  return {
    openSync,
    closeSync,
    writeSync,
    readSync,
    readFileSync,
    writeFileSync,
    chmodSync() {},
    mkdirSync,
    renameSync,
    unlinkSync,
    rmSync,
    constants,
    statSync,
    lstatSync: statSync,
    readdirSync,
    existsSync: (path: string) => {
      program.mustLive();
      return disk.find(at(path)) !== undefined;
    },
    fstatSync: (fd: number) => statOf(handle(fd, "fstat").node),
    fsyncSync: () => program.mustLive(),
    linkSync: (from: string, to: string) =>
      program.change({ do: "link", path: at(from), to: at(to) }, () => disk.link(at(from), at(to))),
    copyFileSync: (from: string, to: string) => writeFileSync(to, disk.requireFile(at(from), "copyfile").bytes),
    readlinkSync: (path: string) => program.machine.readProc(path, program) ?? "",
    realpathSync: (path: string) => at(path),
    open: (path: string, flags: string | number, done: (error: unknown, fd?: number) => void) =>
      soon(later(() => openSync(path, flags), done)),
    fsync: (_fd: number, done: (error: unknown) => void) => soon(() => done(null)),
    close: (fd: number, done: (error: unknown) => void) => soon(later(() => closeSync(fd), done)),
  };
}

/** `node:fs/promises`, the part that is used to read configs. */
export function nodeFsPromises(program: Program): object {
  const { openSync, fstatSync, readSync, closeSync, readdirSync, rmSync } = makeFs(program);
  return {
    async open(path: string, flags: string) {
      const fd = openSync(path, flags);
      return {
        stat: async () => fstatSync(fd),
        read: async (into: Uint8Array, offset: number, length: number) => ({
          bytesRead: readSync(fd, into, offset, length),
        }),
        close: async () => closeSync(fd),
      };
    },
    readdir: async (path: string) => readdirSync(path),
    rm: async (path: string) => rmSync(path, { force: true }),
    mkdtemp: async (prefix: string): Promise<string> => {
      throw new DiskError("EROFS", "mkdtemp", prefix);
    },
  };
}
