import { errnoOf } from "../../errors/errors.ts";
import { readSmallFile } from "../files/read-small-file.ts";
import { makeFolderInRun, removeFileInRun, writeNewInRun } from "../files/run-files.ts";
import type { RunPaths } from "../files/run-paths.ts";
import { statSync } from "../files/store-calls.ts";
import { fileSystemNow } from "../lease/take-file-step.ts";
import { namesIn } from "../run/scan-shards.ts";

/** The small files through which workers share the rate of a run. Tests pass an implementation in memory. */
export interface RateFiles {
  list(): readonly string[];
  /** The text of a file, which may be incomplete or damaged; undefined if there is none. */
  read(name: string): string | undefined;
  /** Makes a file and returns its time by the file system's clock. Returns undefined if it exists. */
  create(name: string, text: string): number | undefined;
  remove(name: string): void;
  /** The time by the file system's clock. */
  clock(): number;
}

// A share has some hundred bytes.
const maxBytes = 4096;

/** The files in the run folder. */
export function openRateFiles(paths: RunPaths): RateFiles {
  const { root } = paths;
  makeFolderInRun(root, paths.rate);
  return {
    list: () => namesIn(paths.rate),
    read(name) {
      const file = readSmallFile(paths.rateFile(name), maxBytes);
      return file === undefined || file.problem === undefined ? file?.text : "";
    },
    create(name, text) {
      const path = paths.rateFile(name);
      try {
        writeNewInRun(root, path, text);
        return statSync(path).mtimeMs;
      } catch (error) {
        if (errnoOf(error) === "EEXIST") return undefined;
        throw error;
      }
    },
    remove: (name) => removeFileInRun(root, paths.rateFile(name)),
    clock: () => fileSystemNow(paths),
  };
}
