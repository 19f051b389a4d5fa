import { dirname, isAbsolute, join } from "node:path";
import { badFile } from "./bad-file.ts";
import { withFileSource } from "./file-source.ts";
import { splitListLine } from "./split-list-line.ts";

/** Options of {@link readScp}. */
export interface ReadScpOptions {
  /**
   * The folder for relative paths of the list. Default: the list's folder. Lists of ESPnet and of `collectStats` have
   * paths from the folder that the run was started in: pass that one.
   */
  readonly baseDir?: string;
}

/** The lines `id path` of a list, in order, with relative paths resolved; a suffix (`:123`) is kept. */
export function readScp(path: string, { baseDir: folder = dirname(path) }: ReadScpOptions = {}): Map<string, string> {
  const text = withFileSource(path, (file) => file.read(0, file.size).toString("utf8"));
  const entries = new Map<string, string>();
  let offset = 0;
  for (const line of text.split("\n")) {
    if (line.trim() !== "") {
      const split = splitListLine(line);
      if (split === undefined)
        throw badFile(path, offset, `a line "id path" is expected, not ${JSON.stringify(line.slice(0, 60))}`);
      const { id, place } = split;
      if (entries.has(id)) throw badFile(path, offset, `the id ${JSON.stringify(id)} comes a second time`);
      entries.set(id, isAbsolute(place) || place.endsWith("|") ? place : join(folder, place));
    }
    offset += Buffer.byteLength(line) + 1;
  }
  return entries;
}
