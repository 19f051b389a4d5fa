import { randomBytes } from "node:crypto";
import { mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { MillraceError } from "../../../index.ts";

/**
 * Creates a folder of the cache, part by part. A link out of the cache is refused: other users may write to a shared
 * cache, and a file must not be written where they point. The cache itself may be a link.
 */
export function makeCacheFolder(cache: string, folder: string): void {
  mkdirSync(cache, { recursive: true });
  const root = realpathSync(cache);
  let place = root;
  for (const part of relative(cache, folder).split(sep)) {
    place = join(place, part);
    mkdirIfMissing(place);
    const real = realPath(place);
    if (real === undefined || !`${real}${sep}`.startsWith(root.endsWith(sep) ? root : `${root}${sep}`))
      throw new MillraceError("BAD_MODEL", `${place} leads out of the cache ${cache}; nothing is written there.`, {
        hint: "Remove the link, or set HF_HUB_CACHE to the folder in which models are to be kept.",
      });
    place = real;
  }
}

function mkdirIfMissing(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** A unique name for an incomplete file. */
export function incompleteName(path: string): string {
  return `${path}.${process.pid}.${randomBytes(6).toString("hex")}.incomplete`;
}

/** Writes a file of a cache atomically; a link there is replaced, not followed. */
export function replaceCacheFile(path: string, content: string | Uint8Array): void {
  const partial = incompleteName(path);
  try {
    writeFileSync(partial, content, { flag: "wx" });
    renameSync(partial, path);
  } finally {
    rmSync(partial, { force: true });
  }
}
