import { MillraceError } from "../../errors/errors.ts";
import { whoseLink } from "../files/file-owner.ts";
import { makeFolderInRun, replaceInRun } from "../files/run-files.ts";
import type { RunPaths } from "../files/run-paths.ts";
import { isJobName } from "./check-submission.ts";

// Independent of the umask: records that others can write are ignored later.
const recordMode = 0o644;

/**
 * Writes a file into the jobs folder of a run, and nowhere else. Returns its path. Only a submission makes the folder:
 * a job that ends late must not create the folder of a deleted run again.
 */
export function writeInJobs(
  paths: RunPaths,
  file: string,
  text: string,
  { makesFolder = false, mode = recordMode }: { readonly makesFolder?: boolean; readonly mode?: number } = {},
): string {
  if (!isJobName(file.split(".", 1)[0])) throw refusal(paths, `${JSON.stringify(file)} is not a valid name there`);
  if (makesFolder) makeFolderInRun(paths.root, paths.jobs);
  replaceInRun(paths.root, paths.job(file), text, { mode });
  return paths.job(file);
}

/** A symbolic link of another user in the path of the jobs folder, which may lead to any other run. */
export function foreignLink(paths: RunPaths): { readonly path: string; readonly user: number } | undefined {
  for (const path of [paths.machinery, paths.jobs]) {
    const user = whoseLink(path);
    if (user !== undefined) return { path, user };
  }
  return undefined;
}

function refusal(paths: RunPaths, why: string): MillraceError {
  return new MillraceError("RUN_FOREIGN", `Nothing is written to the jobs of ${paths.root}: ${why}.`, {
    hint: "Look at who else writes to the folder, or choose another outputDir.",
  });
}
