/** The programs that are started by file: jobs, worker processes and threads, the command line. */
type EntryFile =
  | "job-process.js"
  | "worker-process.js"
  | "worker-thread.js"
  | "heartbeat-thread.cjs"
  | "dataset-scan-thread.cjs"
  | "cli/millrace.js";

/** The URL of such a program. The build puts it beside the bundle that contains this file. */
export function entryUrl(file: EntryFile): URL {
  return new URL(`./${file}`, import.meta.url);
}

/** The folder of the dashboard's built pages. */
export function webFolderUrl(): URL {
  return new URL("./web/", import.meta.url);
}
