import { closeSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errnoOf } from "../shared/errors.ts";
import { makeFolders, storeError } from "../store/durable-files.ts";
import { syncSoon } from "../store/group-sync.ts";

/** Makes a file that may be large: `target` keeps its old content until the new one is complete. */
export function makeAtOnce(target: string, write: (fd: number, path: string) => void): void {
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    makeFolders(dirname(target));
    const fd = openSync(temporary, "w");
    try {
      write(fd, temporary);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, target);
    removeLeftovers(target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw errnoOf(error) === undefined ? error : storeError(error, target);
  }
  // Not waited for: until it is through, a power cut costs no more than merging again.
  void syncSoon([target, dirname(target)]);
}

/** What others left who were killed while they made the same file. One at a time makes it: the merge is claimed. */
function removeLeftovers(target: string): void {
  const [folder, name] = [dirname(target), basename(target)];
  for (const other of readdirSync(folder))
    if (other.startsWith(`${name}.`) && /^\d+\.tmp$/.test(other.slice(name.length + 1)))
      rmSync(join(folder, other), { force: true });
}
