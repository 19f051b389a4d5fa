import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "../../bytes/crc32.ts";
import { sha256 } from "../../bytes/sha256.ts";
import { cacheFolder } from "./cache-folder.ts";

/** A file is fetched and kept in parts of this size. */
export const blockBytes: number = 1 << 20;

const usualMaxBytes = 2 * 2 ** 30;
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
        const bytes = readFileSync(pathOf(version, block));
        const body = bytes.subarray(0, -4);
        // A block that a power cut has torn is fetched again.
        return body.length === length && bytes.readUInt32LE(length) === crc32(body) ? body : undefined;
      } catch {
        return undefined;
      }
    },
    write(version, block, bytes) {
      if (!(maxBytes >= blockBytes)) return;
      const path = pathOf(version, block);
      const partial = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
      const sum = Buffer.alloc(4);
      sum.writeUInt32LE(crc32(bytes));
      try {
        if (writes++ % writesPerSweep === 0) {
          mkdirSync(folder, { recursive: true });
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

/** Removes the blocks that were written first until the rest is small enough. */
function sweep(folder: string, maxBytes: number): void {
  const files = readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() === true ? [{ path, bytes: stats.size, time: stats.mtimeMs }] : [];
  });
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  for (const file of files.sort((a, b) => a.time - b.time)) {
    if (bytes <= maxBytes) return;
    rmSync(file.path, { force: true });
    bytes -= file.bytes;
  }
}
