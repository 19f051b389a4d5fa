import { basename, dirname, join, resolve } from "node:path";
import { errnoOf } from "../errors/errors.ts";
import { makeFolders, writeFully } from "../run-folder/files/durable-files.ts";
import { syncSoon } from "../run-folder/files/group-sync.ts";
import { makeFolderInRun, openNewInRun, removeFileInRun, replaceByFileInRun } from "../run-folder/files/run-files.ts";
import { closeSync, closeWritten, readdirSync } from "../run-folder/files/store-calls.ts";
import { storeError } from "../run-folder/files/store-trouble.ts";
import { ignoreErrors } from "../runtime/ignore-errors.ts";

/**
 * Writes a file that may be large. The target keeps its old content until the new one is complete. `within`: the run
 * folder, if the name of the target comes from the run; undefined if the user chose the target.
 */
export function writeMergedFile(
  { target: given, within }: { readonly target: string; readonly within: string | undefined },
  write: (fd: number, path: string) => void,
): void {
  const target = resolve(given);
  const root = within === undefined ? dirname(target) : resolve(within);
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    makeFolders(root);
    if (dirname(target) !== root) makeFolderInRun(root, dirname(target));
    const fd = openNewInRun(root, temporary);
    try {
      write(fd, temporary);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    closeWritten(fd);
    replaceByFileInRun(root, temporary, target);
    removeLeftovers(root, target);
  } catch (error) {
    // Ignored: the first error is the one to report.
    ignoreErrors(() => removeFileInRun(root, temporary));
    throw errnoOf(error) === undefined ? error : storeError(error, target);
  }
  // Not awaited: until it is done, a power failure costs one more merge.
  syncSoon([target, dirname(target)]);
}

/** The same for texts. */
export function writeMergedText(target: string, texts: Iterable<string>, within: string | undefined): void {
  writeMergedFile({ target, within }, (fd) => {
    for (const text of texts) writeFully(fd, Buffer.from(text), target);
  });
}

/**
 * Removes temporary files of killed processes that wrote the same file. Only one process writes it: the merge is
 * claimed.
 */
function removeLeftovers(root: string, target: string): void {
  const [folder, name] = [dirname(target), basename(target)];
  for (const other of readdirSync(folder))
    if (other.startsWith(`${name}.`) && /^\d+\.tmp$/.test(other.slice(name.length + 1)))
      removeFileInRun(root, join(folder, other));
}
