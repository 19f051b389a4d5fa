import { join } from "node:path";
import { errnoOf, MillraceError, messageOf } from "../../errors/errors.ts";
import { runPaths, shardIdOf } from "../files/run-paths.ts";
import { existsSync, readdirSync } from "../files/store-calls.ts";

const maxDepth = 6;

// A run may hold thousands of shards, so its folders are listed at most this often. A new run inside of it is found
// that much later.
const rememberedMs = 30_000;

/** The folders inside of runs, kept for the next search. */
export type InsideRuns = Map<string, { readonly atMs: number; readonly names: readonly string[] }>;

interface SearchOptions {
  readonly onSkipped?: (dir: string, why: string) => void;
  /** A cache of the folders inside of runs, for repeated searches. */
  readonly inside?: InsideRuns;
}

/**
 * The runs in a folder and below it: folders with a manifest and its internal files. Shards are not searched, links are not
 * followed.
 */
export function findRuns(dir: string, { onSkipped = () => {}, inside }: SearchOptions = {}): Generator<string> {
  return findBelow(dir, 0);

  function* findBelow(folder: string, depth: number): Generator<string> {
    const paths = runPaths(folder);
    const isRun = existsSync(paths.manifest) && existsSync(paths.machinery);
    const names = isRun ? remembered(folder, depth) : foldersIn(folder, depth);
    if (isRun) yield folder;
    if (depth >= maxDepth) return;
    for (const name of names) yield* findBelow(join(folder, name), depth + 1);
  }

  function remembered(folder: string, depth: number): readonly string[] {
    const known = inside?.get(folder);
    if (known !== undefined && performance.now() - known.atMs < rememberedMs) return known.names;
    const names = foldersIn(folder, depth);
    inside?.set(folder, { atMs: performance.now(), names });
    return names;
  }

  /** The folders in a folder that may be runs or contain some, sorted. */
  function foldersIn(folder: string, depth: number): string[] {
    try {
      return readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && !isInside(entry.name))
        .map(({ name }) => name)
        .sort();
    } catch (error) {
      if (depth === 0) throw notListed(folder, error);
      onSkipped(folder, messageOf(error));
      return [];
    }
  }
}

function notListed(folder: string, error: unknown): MillraceError {
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: `There is no folder ${folder}.`,
    ENOTDIR: `${folder} is a file, not a folder.`,
    EACCES: `${folder} may not be read.`,
  };
  const reason = reasons[errnoOf(error) ?? ""] ?? `${folder} cannot be listed: ${messageOf(error)}.`;
  return new MillraceError("RUN_NOT_FOUND", reason, { hint: "Name the folder of a run, or one above it." });
}

function isInside(name: string): boolean {
  return shardIdOf(name) !== undefined || name === "node_modules" || name.startsWith(".");
}
