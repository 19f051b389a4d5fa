/** The programs that are started by their file: jobs, worker processes and threads, the command line. */
type EntryFile =
  | "job-process.js"
  | "worker-process.js"
  | "worker-thread.js"
  | "heartbeat-thread.cjs"
  | "cli/millrace.js";

/** Where such a program is. The build puts them beside the file that this becomes a part of. */
export function entryUrl(file: EntryFile): URL {
  return new URL(`./${file}`, import.meta.url);
}

/** Where the pages of the dashboard are, as the build has made them. */
export function webFolderUrl(): URL {
  return new URL("./web/", import.meta.url);
}
