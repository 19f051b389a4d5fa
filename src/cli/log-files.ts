import { join } from "node:path";
import { jobLogName } from "../run-folder/files/log-names.ts";
import { logFolder } from "../run-folder/files/open-log.ts";
import type { RunPaths } from "../run-folder/files/run-paths.ts";
import { readSubmissions } from "../run-folder/jobs/job-records.ts";
import { namesIn } from "../run-folder/run/scan-shards.ts";

export interface LogFile {
  /** The worker that writes it. */
  readonly name: string;
  readonly path: string;
}

/** All logs of a run, by name: those in its folder, and those of jobs with another log folder. */
export function logFiles(paths: RunPaths): LogFile[] {
  const folder = logFolder(paths);
  const names = folder === undefined ? [] : namesIn(folder);
  const inRun = names.map((file) => ({ name: nameOf(file), path: paths.log(nameOf(file)) }));
  const elsewhere = readSubmissions(paths).flatMap(({ name, logDirectory }) =>
    logDirectory === undefined
      ? []
      : readableNames(logDirectory)
          // Other runs may write to that folder too.
          .filter((file) => file.startsWith(`${jobLogName(name)}.`))
          .map((file) => ({ name: nameOf(file), path: join(logDirectory, file) })),
  );
  return [...inRun, ...elsewhere].sort((a, b) => (a.name < b.name ? -1 : 1));
}

// Errors are ignored, because a record may name any folder.
function readableNames(folder: string): string[] {
  try {
    return namesIn(folder);
  } catch {
    return [];
  }
}

function nameOf(file: string): string {
  return file.replace(/\.log$/, "");
}
