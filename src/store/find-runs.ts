import { type Dirent, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { MillraceError, messageOf } from "../shared/errors.ts";
import { runPaths, shardIdOf } from "./run-paths.ts";

const deepest = 6;

/** The runs below a folder, and in itself: folders with a manifest and its machinery. The shards in them are not searched, links are not followed. */
export function findRuns(dir: string, onSkipped: (dir: string, why: string) => void = () => {}): Generator<string> {
  return findBelow(dir, 0);

  function* findBelow(folder: string, depth: number): Generator<string> {
    const entries = foldersIn(folder, depth);
    const paths = runPaths(folder);
    if (existsSync(paths.manifest) && existsSync(paths.machinery)) yield folder;
    if (depth >= deepest) return;
    for (const { name } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const isInside = shardIdOf(name) !== undefined || name === "node_modules" || name.startsWith(".");
      if (!isInside) yield* findBelow(join(folder, name), depth + 1);
    }
  }

  function foldersIn(folder: string, depth: number): Dirent[] {
    try {
      return readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    } catch (error) {
      if (depth === 0) {
        throw new MillraceError("BAD_USAGE", `${folder} cannot be listed: ${messageOf(error)}.`, {
          hint: "Name the folder of a run, or one above it.",
        });
      }
      onSkipped(folder, messageOf(error));
      return [];
    }
  }
}
