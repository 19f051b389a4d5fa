import { fileURLToPath } from "node:url";
import { errnoOf, messageOf } from "../shared/errors.ts";
import { badAudio } from "./bad-audio.ts";
import { type OpenedFile, openFile } from "./open-file.ts";

/** Bytes with random access: a file, or what was read elsewhere. Formats read through it and never ask which. */
export interface ByteSource {
  readonly name: string;
  readonly size: number;
  /** The file itself, for programs that have to open it. */
  readonly path: string | undefined;
  /**
   * The bytes from `offset`; fewer than asked for only at the end. They may be a view: not to be written to. They may be put
   * into `room`, if it is large enough.
   */
  read(offset: number, length: number, room?: Uint8Array): Promise<Uint8Array>;
  close(): Promise<void>;
}

const headBytes = 16 * 1024;

/** Opens a path or bytes; what is not a readable, non-empty regular file is refused here. */
export async function openSource(from: string | URL | Uint8Array, name = "the audio"): Promise<ByteSource> {
  if (from instanceof Uint8Array) return bytesSource(from, name);
  if (/^(https?|s3|gs):/.test(String(from))) {
    throw badAudio(String(from), "is not on this machine", "fetch it first, and pass its path or its bytes");
  }
  const path = from instanceof URL ? fileURLToPath(from) : from;
  let file: OpenedFile;
  try {
    file = await openFile(path);
  } catch (error) {
    throw cannotOpen(path, error);
  }
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) throw badAudio(path, "is a directory", "name a file in it");
    if (!stats.isFile()) throw badAudio(path, "is not a regular file", "read it and pass its bytes instead");
    if (stats.size === 0) throw isEmpty(path);
    return await fileSource(path, file, stats.size);
  } catch (error) {
    await file.close();
    throw error;
  }
}

export function bytesSource(bytes: Uint8Array, name: string, path?: string): ByteSource {
  if (bytes.length === 0) throw isEmpty(name);
  return {
    name,
    size: bytes.length,
    path,
    read: async (offset, length) => bytes.subarray(offset, offset + length),
    close: async () => {},
  };
}

/** The start is read once: every format looks at it several times. */
async function fileSource(path: string, file: OpenedFile, size: number): Promise<ByteSource> {
  const read = async (offset: number, length: number, room?: Uint8Array): Promise<Uint8Array> => {
    const wanted = Math.max(0, Math.min(length, size - offset));
    const bytes = (room?.length ?? -1) >= wanted ? room!.subarray(0, wanted) : Buffer.allocUnsafeSlow(wanted);
    let filled = 0;
    while (filled < wanted) {
      const bytesRead = await file.read(bytes.subarray(filled), offset + filled);
      if (bytesRead === 0) throw badAudio(path, "became shorter while it was read", "something else writes to it");
      filled += bytesRead;
    }
    return bytes;
  };
  const guarded = async (offset: number, length: number, room?: Uint8Array): Promise<Uint8Array> => {
    try {
      return await read(offset, length, room);
    } catch (error) {
      throw errnoOf(error) === undefined ? error : cannotRead(path, error);
    }
  };
  const head = await guarded(0, headBytes);
  return {
    name: path,
    size,
    path,
    read: (offset, length, room) => {
      const end = Math.min(offset + length, size);
      return end <= head.length ? Promise.resolve(head.subarray(offset, end)) : guarded(offset, length, room);
    },
    close: async () => file.close(),
  };
}

function isEmpty(name: string): Error {
  return badAudio(name, "is empty (0 bytes)", "fetch or make it again, or leave it out");
}

function cannotOpen(path: string, error: unknown): Error {
  const code = errnoOf(error);
  if (code === "ENOENT" || code === "ENOTDIR") {
    return badAudio(path, "does not exist", "check the path; relative ones start at the working folder", error);
  }
  if (code === "EACCES" || code === "EPERM") return badAudio(path, "may not be read", "check its permissions", error);
  if (code === undefined) return badAudio(JSON.stringify(path), `is no path: ${messageOf(error)}`, "check it", error);
  return cannotRead(path, error);
}

function cannotRead(path: string, error: unknown): Error {
  return badAudio(path, `cannot be read: ${messageOf(error)}`, "check the disk or the network mount", error);
}
