const driver = "driver-";
const onlyWorker = "local-";
const job = "job-";

/** The name of the log of a process in the background. */
export function driverLogName(worker: string, { isWorker }: { readonly isWorker: boolean }): string {
  return `${isWorker ? onlyWorker : driver}${worker}`;
}

/** The prefix of the log names of a submission's tasks. */
export function jobLogName(name: string): string {
  return `${job}${name}`;
}

/** Whether a log is that of a process in the background. It has the progress, and how the run ended. */
export function isFromBackground(name: string): boolean {
  return name.startsWith(driver) || name.startsWith(onlyWorker) || name.startsWith(job);
}

/** Whether a log only repeats other logs: drivers and jobs print the output of their workers. */
export function repeatsOtherLogs(name: string): boolean {
  return name.startsWith(driver) || name.startsWith(job);
}

/** Whose log it is: the name of a worker as status and dashboard show it, or the name of the log of another process. */
export function ownerOfLog(name: string): string {
  return name.startsWith(onlyWorker) ? name.slice(onlyWorker.length) : name;
}

/** Whether a log is that of a worker. */
export function isLogOf(name: string, worker: string): boolean {
  return ownerOfLog(name) === worker;
}
