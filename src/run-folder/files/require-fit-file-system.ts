import { MillraceError } from "../../errors/errors.ts";
import { fileSystemOf } from "./file-system.ts";
import { type Ability, probeFileSystem } from "./probe-file-system.ts";

/**
 * Refuses a new run in a folder whose file system cannot hold one: its workers would fail later, and in stranger ways. A
 * file system that one kernel serves is not asked. Returns what it takes to read a small file, in milliseconds.
 */
export function requireFitFileSystem(folder: string): number {
  const { type, mount, isLocal } = fileSystemOf(folder);
  if (isLocal) return 0;
  const { abilities, readMs } = probeFileSystem(folder, { neededOnly: true });
  const missing = abilities.filter(isMissing);
  if (missing.length === 0) return readMs;
  const where = mount === "" ? type : `${type}, mounted at ${mount}`;
  const reasons = missing.map((ability) => ability.missing).join("; ");
  throw new MillraceError("STORE_UNFIT", `The file system of ${folder} (${where}) cannot hold a run: ${reasons}.`, {
    hint: "Choose an outputDir on another file system; `millrace doctor FOLDER` says whether it will do.",
  });
}

function isMissing({ isNeeded, missing }: Ability): boolean {
  return isNeeded && missing !== undefined;
}
