import { randomBytes } from "node:crypto";
import {
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { MillraceError } from "../../index.ts";
import type { DatasetFile } from "./list-dataset-files.ts";

// Marks a folder that was made here and may be replaced.
const markerName = ".shared-dataset.json";

export interface CopyOptions {
  readonly dir: string;
  readonly target: string;
  readonly files: readonly DatasetFile[];
  readonly card: string;
  readonly replace: boolean;
}

/** Copies a dataset into a folder that appears completely or not at all. */
export function copyDataset({ dir, target, files, card, replace }: CopyOptions): void {
  const folder = resolve(target);
  requireApart(dir, folder);
  requireFree(folder, replace);
  mkdirSync(dirname(folder), { recursive: true });
  const unique = `${process.pid}-${randomBytes(4).toString("hex")}`;
  const temporary = join(dirname(folder), `.${basename(folder)}.${unique}.partial`);
  try {
    for (const { path, source } of files) {
      const to = join(temporary, path);
      mkdirSync(dirname(to), { recursive: true });
      copyFileSync(source, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    }
    mkdirSync(temporary, { recursive: true });
    rmSync(join(temporary, "README.md"), { force: true });
    writeFileSync(join(temporary, "README.md"), card);
    writeFileSync(join(temporary, markerName), `${JSON.stringify({ format: "millrace-share", version: 1 })}\n`);
    putInPlace(temporary, folder, `${temporary}.old`);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
}

function putInPlace(temporary: string, folder: string, aside: string): void {
  const isThere = existsSync(folder) && readdirSync(folder).length > 0;
  if (!isThere) {
    renameSync(temporary, folder);
    return;
  }
  renameSync(folder, aside);
  try {
    renameSync(temporary, folder);
  } catch (error) {
    renameSync(aside, folder);
    throw error;
  }
  rmSync(aside, { recursive: true, force: true });
}

/** Neither folder may contain the other: a copy would copy itself, or a replacement delete its source. */
function requireApart(dir: string, folder: string): void {
  let above = folder;
  while (!existsSync(above)) above = dirname(above);
  const real = join(realpathSync(above), relative(above, folder));
  const source = realpathSync(dir);
  const isIn = (inner: string, outer: string) => `${inner}${sep}`.startsWith(`${outer}${sep}`);
  if (!isIn(real, source) && !isIn(source, real)) return;
  throw new MillraceError("BAD_OPTION", `${folder} and ${source} lie in each other.`, {
    hint: "Share to a folder beside the dataset.",
  });
}

function requireFree(folder: string, replace: boolean): void {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) throw taken(folder, "it is not a folder");
  if (readdirSync(folder).length === 0) return;
  if (!existsSync(join(folder, markerName))) throw taken(folder, "it holds something that was not shared there");
  if (!replace) {
    throw new MillraceError("BAD_OPTION", `${folder} holds a shared dataset already.`, {
      hint: "Pass replace: true to replace it, or name another folder.",
    });
  }
}

function taken(folder: string, why: string): MillraceError {
  return new MillraceError("BAD_OPTION", `${folder} is not overwritten: ${why}.`, { hint: "Name another folder." });
}
