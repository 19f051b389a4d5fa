import { sep } from "node:path";
import { ignoreErrors } from "../../runtime/ignore-errors.ts";
import { isShared } from "./file-system.ts";
import { openNewInRun, removeFileInRun } from "./run-files.ts";
import { closeSync } from "./store-calls.ts";

/** The names of files that a killed process may have left in a run folder. */
export const lookPrefix = ".look-";

const looker = Math.random().toString(36).slice(2);
let looks = 0;

/**
 * Makes the next list of a folder of a run show what other hosts have put there: a client of a file server forgets its old
 * list of a folder once it has changed the folder itself. Returns false where a list is never old.
 */
export function refreshFolder(root: string, folder: string = root): boolean {
  if (!isShared(root)) return false;
  const path = `${folder}${sep}${lookPrefix}${looker}-${looks++}`;
  // A file system that refuses it shows its changes later.
  ignoreErrors(() => {
    closeSync(openNewInRun(root, path));
    removeFileInRun(root, path);
  });
  return true;
}
