/** The programs that are started by their file: jobs, worker processes and threads. */
type EntryName = "job-process" | "worker-process" | "worker-thread" | "heartbeat-thread";

/** Where such a program is. The build puts them beside the file that this becomes a part of. */
export function entryUrl(name: EntryName): URL {
  return new URL(`./${name}.js`, import.meta.url);
}
