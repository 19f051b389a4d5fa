import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { MillraceError } from "../../index.ts";

export interface DatasetFile {
  /** Relative to the folder, with forward slashes. */
  readonly path: string;
  readonly bytes: number;
  /** The path of its content: elsewhere in the folder if the path is a link. */
  readonly source: string;
}

/**
 * The files of a dataset, by name. Hidden and unfinished ones (`.tmp`) are skipped; links out of the folder are
 * refused.
 */
export function listDatasetFiles(dir: string, isWanted: (path: string) => boolean): DatasetFile[] {
  if (!(statSync(dir, { throwIfNoEntry: false })?.isDirectory() ?? false)) {
    throw new MillraceError("BAD_OPTION", `There is no folder ${dir}.`, { hint: "Name the folder of the dataset." });
  }
  const root = realpathSync(dir);
  const files: DatasetFile[] = [];
  const walk = (below: string): void => {
    for (const name of readdirSync(join(root, below)).sort()) {
      if (name.startsWith(".") || name.endsWith(".tmp")) continue;
      const path = below === "" ? name : `${below}/${name}`;
      const source = join(root, path);
      const found = lstatSync(source);
      if (found.isDirectory()) walk(path);
      else if (isWanted(path)) files.push({ path, ...fileAt(source, root) });
    }
  };
  walk("");
  if (files.length > 0) return files;
  throw new MillraceError("BAD_OPTION", `There is nothing to share in ${dir}.`, {
    hint: "Hidden files and those that end in .tmp are left out.",
  });
}

function fileAt(path: string, root: string): { bytes: number; source: string } {
  let source: string;
  try {
    source = realpathSync(path);
  } catch (cause) {
    throw refused(path, "it is a link to nowhere", cause);
  }
  const way = relative(root, source);
  if (way === ".." || way.startsWith(`..${sep}`) || join(root, way) !== source)
    throw refused(path, `it is a link to ${source}, outside of the folder`);
  const found = statSync(source);
  if (!found.isFile()) throw refused(path, found.isDirectory() ? "it is a link to a folder" : "it is not a file");
  return { bytes: found.size, source };
}

function refused(path: string, why: string, cause?: unknown): MillraceError {
  return new MillraceError("BAD_FILE", `${path} cannot be shared: ${why}.`, {
    cause,
    hint: "Put the file itself there, or leave it out with `include`.",
  });
}
