import { readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { MillraceError, messageOf } from "../../errors/errors.ts";

/** A file below a folder; its name has slashes on every system. */
export interface ListedFile {
  readonly name: string;
  readonly sizeBytes: number;
}

/** The files below a folder whose names match, in the order of their names. Links are followed, each folder once. */
export function listFiles(folder: string, isMatch: (name: string) => boolean): ListedFile[] {
  const files: ListedFile[] = [];
  const seen = new Set<string>();
  const visit = (place: string, prefix: string): void => {
    const real = realpathSync(place);
    if (seen.has(real)) return;
    seen.add(real);
    for (const entry of readdirSync(place, { withFileTypes: true })) {
      const name = `${prefix}${entry.name}`;
      const path = join(place, entry.name);
      if (entry.isDirectory()) visit(path, `${name}/`);
      else if (entry.isSymbolicLink() || (entry.isFile() && isMatch(name))) {
        const stats = statSync(path, { throwIfNoEntry: false });
        if (stats?.isDirectory() === true) visit(path, `${name}/`);
        else if (stats?.isFile() === true && isMatch(name)) files.push({ name, sizeBytes: stats.size });
      }
    }
  };
  try {
    visit(folder, "");
  } catch (cause) {
    throw new MillraceError("BAD_FILE", `${folder} cannot be listed: ${messageOf(cause)}.`, {
      cause,
      hint: "Check the path and its permissions: openFolder takes a folder, the other openers a file.",
    });
  }
  // By code units, the same on every machine.
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}
