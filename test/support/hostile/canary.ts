import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What the files of a canary begin with: it must not be shown by looking at a run. */
export const contentOutside = "the only copy of ";

/** Makes a folder in which nothing may ever change. */
export function makeCanary(dir: string): void {
  mkdirSync(join(dir, "precious", "inner"), { recursive: true });
  for (const name of ["file", "precious/thesis.tex", "precious/inner/data", "done", "records.jsonl", "x.json"])
    writeFileSync(join(dir, name), `${contentOutside}${name}\n`);
}

/** Everything that can be seen of a folder but for what `isLeftOut` names: names, content, modes, times. One line each. */
export function describeTree(dir: string, isLeftOut: (name: string) => boolean, below = ""): string[] {
  return readdirSync(join(dir, below))
    .sort()
    .flatMap((entry) => {
      const name = below === "" ? entry : `${below}/${entry}`;
      if (isLeftOut(name)) return [];
      const path = join(dir, name);
      const stat = lstatSync(path);
      const line = `${name} ${stat.mode.toString(8)} ${stat.mtimeMs} ${stat.ino}`;
      if (stat.isDirectory()) return [line, ...describeTree(dir, isLeftOut, name)];
      if (stat.isSymbolicLink()) return [`${line} -> ${readlinkSync(path)}`];
      return [stat.isFile() ? `${line} ${createHash("sha1").update(readFileSync(path)).digest("hex")}` : line];
    });
}
