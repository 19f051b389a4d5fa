import { fileURLToPath } from "node:url";
import { errnoOf, messageOf } from "../errors/errors.ts";
import type { AudioInput, ReadAudioOptions } from "./audio.ts";
import { badAudio } from "./bad-audio.ts";
import { type OpenedFile, openFile } from "./open-file.ts";
import { readStream } from "./read-stream.ts";

/** Bytes with random access: a file, or bytes in memory. Formats do not need to know which. */
export interface ByteSource {
  readonly name: string;
  readonly size: number;
  /** The file itself, for programs that have to open it. */
  readonly path: string | undefined;
  /**
   * The bytes from `offset`; fewer than requested only at the end. They may be a view, which must not be written to.
   * They may be written to `into` if it is large enough.
   */
  read(offset: number, length: number, into?: Uint8Array): Promise<Uint8Array>;
  close(): Promise<void>;
}

const headBytes = 16 * 1024;

/** Opens any input; what is not a readable, non-empty regular file is refused here. */
export async function openSource(
  from: AudioInput,
  options: Pick<ReadAudioOptions, "name" | "maxSeconds" | "maxOutputBytes" | "remote"> = {},
): Promise<ByteSource> {
  const { name = "the audio" } = options;
  if (from instanceof Uint8Array) return bytesSource(from, name);
  if (from instanceof Blob) return blobSource(from, options.name ?? fileName(from) ?? name);
  if (typeof from === "object" && "getReader" in from) return bytesSource(await readStream(from, name, options), name);
  const address = String(from);
  if (/^(?:https?|s3|gs|hf):/.test(address)) {
    if (options.remote === true && !address.startsWith("gs:")) return remoteSource(address);
    // Paths often come from files of others, which must not decide what this machine asks for.
    throw badAudio(
      withoutSecrets(address),
      "is not on this machine",
      "pass remote: true to read it where it is, or fetch it first",
    );
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

/** A Blob may be a file on disk, so only the requested part is read. */
async function blobSource(blob: Blob, name: string): Promise<ByteSource> {
  if (blob.size === 0) throw isEmpty(name);
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    try {
      return new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer());
    } catch (error) {
      throw badAudio(name, `cannot be read: ${messageOf(error)}`, "the file behind the Blob may have changed", error);
    }
  };
  const head = await read(0, headBytes);
  return {
    name,
    size: blob.size,
    path: undefined,
    read: async (offset, length) => {
      const end = Math.min(offset + length, blob.size);
      return end <= head.length ? head.subarray(offset, end) : read(offset, length);
    },
    close: async () => {},
  };
}

/** Reads what is needed of a file elsewhere, in blocks that are kept on disk. */
async function remoteSource(address: string): Promise<ByteSource> {
  const { openStore } = await import("../datasets/source/open-store.ts");
  const store = await openStore(address);
  return {
    name: store.name,
    size: store.size,
    path: undefined,
    read: async (offset, length) => store.read(offset, Math.max(0, Math.min(length, store.size - offset))),
    close: async () => store.close(),
  };
}

function withoutSecrets(address: string): string {
  return address.replace(/\/\/[^/]*@/, "//").replace(/\?.*/s, "?…");
}

function fileName(blob: Blob): string | undefined {
  return "name" in blob && typeof blob.name === "string" && blob.name !== "" ? blob.name : undefined;
}

/** The start is read once: every format looks at it several times. */
async function fileSource(path: string, file: OpenedFile, size: number): Promise<ByteSource> {
  const read = async (offset: number, length: number, into?: Uint8Array): Promise<Uint8Array> => {
    const wanted = Math.max(0, Math.min(length, size - offset));
    const bytes = (into?.length ?? -1) >= wanted ? into!.subarray(0, wanted) : Buffer.allocUnsafeSlow(wanted);
    let filled = 0;
    while (filled < wanted) {
      const bytesRead = await file.read(bytes.subarray(filled), offset + filled);
      if (bytesRead === 0) throw badAudio(path, "became shorter while it was read", "something else writes to it");
      filled += bytesRead;
    }
    return bytes;
  };
  const guarded = async (offset: number, length: number, into?: Uint8Array): Promise<Uint8Array> => {
    try {
      return await read(offset, length, into);
    } catch (error) {
      throw errnoOf(error) === undefined ? error : cannotRead(path, error);
    }
  };
  const head = await guarded(0, headBytes);
  return {
    name: path,
    size,
    path,
    read: (offset, length, into) => {
      const end = Math.min(offset + length, size);
      return end <= head.length ? Promise.resolve(head.subarray(offset, end)) : guarded(offset, length, into);
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
