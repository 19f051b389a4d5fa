import { readFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { badFile } from "./bad-file.ts";

/**
 * The lines `id path` of a list, in order. A relative path counts from the folder of the list, as those that are written here
 * do; what stands behind it (`:123`) stays.
 */
export function readScp(path: string): Map<string, string> {
  const text = readFileSync(path, "utf8");
  const folder = dirname(path);
  const entries = new Map<string, string>();
  let offset = 0;
  for (const line of text.split("\n")) {
    if (line.trim() !== "") {
      const match = /^(\S+)[ \t]+(.*\S)\s*$/.exec(line);
      if (match === null)
        throw badFile(path, offset, `a line "id path" is expected, not ${JSON.stringify(line.slice(0, 60))}`);
      const [, id, place] = match as unknown as [string, string, string];
      if (entries.has(id)) throw badFile(path, offset, `the id ${JSON.stringify(id)} comes a second time`);
      entries.set(id, isAbsolute(place) || place.endsWith("|") ? place : join(folder, place));
    }
    offset += Buffer.byteLength(line) + 1;
  }
  return entries;
}
