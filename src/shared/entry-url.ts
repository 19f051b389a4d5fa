/** The programs that are started by their file: jobs, worker processes and threads, the command line. */
type EntryName = "job-process" | "worker-process" | "worker-thread" | "heartbeat-thread" | "cli/millrace";

/** Where such a program is. The build puts them beside the file that this becomes a part of. */
export function entryUrl(name: EntryName): URL {
  return new URL(`./${name}.js`, import.meta.url);
}

/** Where the pages of the dashboard are, as the build has made them. */
export function webFolderUrl(): URL {
  return new URL("./web/", import.meta.url);
}
