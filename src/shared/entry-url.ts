/** The programs that are started by their file: jobs, worker processes and threads. */
type EntryFile = "job-process.js" | "worker-process.js" | "worker-thread.js" | "heartbeat-thread.cjs";

/** Where such a program is. The build puts them beside the file that this becomes a part of. */
export function entryUrl(file: EntryFile): URL {
  return new URL(`./${file}`, import.meta.url);
}
