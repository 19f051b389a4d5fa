import { randomBytes } from "node:crypto";
import { closeSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "../../bytes/crc32.ts";
import { sha256 } from "../../bytes/sha256.ts";
import { openRegularFile } from "../../input/open-regular-file.ts";
import { cacheFolder } from "./cache-folder.ts";

/** A file is fetched and kept in parts of this size. */
export const blockBytes: number = 1 << 20;

const usualMaxBytes = 2 * 2 ** 30;
const sumBytes = 4;
// A block, or one that is being written. Another user may have put other files, or a link, in place of a shared folder.
const blockName = /^[0-9a-f]{32}\.\d+(?:\.\d+\.[0-9a-f]{8})?$/;
// The folder is counted again after this much was written.
const writesPerSweep = 64;

/** Blocks of remote files on disk, at most some gigabytes of them. */
export interface BlockCache {
  read(version: string, block: number, length: number): Buffer | undefined;
  write(version: string, block: number, bytes: Buffer): void;
}

/** Opens the cache for one file by its key. A cache that cannot be written to is no error: blocks are fetched again. */
export function openBlockCache(key: string, variables: NodeJS.ProcessEnv = process.env): BlockCache {
  const folder = join(cacheFolder(variables), "blocks");
  const maxBytes = Number(variables["MILLRACE_CACHE_BYTES"] ?? usualMaxBytes);
  const pathOf = (version: string, block: number) =>
    join(folder, `${sha256(`${key}\0${version}`).slice(0, 32)}.${block}`);
  let writes = 0;
  return {
    read(version, block, length) {
      try {
        const bytes = readOf(pathOf(version, block), length + sumBytes);
        const body = bytes?.subarray(0, length);
        // A block that a power cut has torn is fetched again.
        return body !== undefined && bytes?.readUInt32LE(length) === crc32(body) ? body : undefined;
      } catch {
        return undefined;
      }
    },
    write(version, block, bytes) {
      if (!(maxBytes >= blockBytes)) return;
      const path = pathOf(version, block);
      const partial = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
      const sum = Buffer.alloc(sumBytes);
      sum.writeUInt32LE(crc32(bytes));
      try {
        if (writes++ % writesPerSweep === 0) {
          // For its user alone: the blocks of a private file are no less private.
          mkdirSync(folder, { recursive: true, mode: 0o700 });
          sweep(folder, maxBytes - writesPerSweep * blockBytes);
        }
        writeFileSync(partial, Buffer.concat([bytes, sum]), { flag: "wx" });
        renameSync(partial, path);
      } catch {
        rmSync(partial, { force: true });
      }
    },
  };
}

/** The bytes of a file; undefined if it is not a regular file of this size. */
function readOf(path: string, sizeBytes: number): Buffer | undefined {
  const opened = openRegularFile(path);
  try {
    return opened.sizeBytes === sizeBytes ? readFileSync(opened.fd) : undefined;
  } finally {
    closeSync(opened.fd);
  }
}

/** Removes the blocks that were written first until the rest is small enough. */
function sweep(folder: string, maxBytes: number): void {
  const names = readdirSync(folder).filter((name) => blockName.test(name));
  const files = names.flatMap((name) => {
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats?.isFile() === true ? [{ path, bytes: stats.size, time: stats.mtimeMs }] : [];
  });
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  for (const file of files.sort((a, b) => a.time - b.time)) {
    if (bytes <= maxBytes) return;
    rmSync(file.path, { force: true });
    bytes -= file.bytes;
  }
}
