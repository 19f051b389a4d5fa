import { join } from "node:path";
import { readSubmissions } from "../store/job-records.ts";
import { jobLogName } from "../store/log-names.ts";
import type { RunPaths } from "../store/run-paths.ts";
import { namesIn } from "../store/scan-shards.ts";

export interface LogFile {
  /** Whose it is. */
  readonly name: string;
  readonly path: string;
}

/** Every log of a run, by name: those in its folder, and those of jobs that were told to write theirs elsewhere. */
export function logFiles(paths: RunPaths): LogFile[] {
  const own = namesIn(paths.logs).map((file) => ({ name: nameOf(file), path: paths.log(nameOf(file)) }));
  const elsewhere = readSubmissions(paths).flatMap(({ name, logDirectory }) =>
    logDirectory === undefined
      ? []
      : namesIn(logDirectory)
          // Other runs may write there too.
          .filter((file) => file.startsWith(`${jobLogName(name)}.`))
          .map((file) => ({ name: nameOf(file), path: join(logDirectory, file) })),
  );
  return [...own, ...elsewhere].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function nameOf(file: string): string {
  return file.replace(/\.log$/, "");
}
