const driver = "driver-";
const onlyWorker = "local-";

/** The name of the log of a process that was sent to the background. */
export function driverLogName(worker: string, { isWorker }: { readonly isWorker: boolean }): string {
  return `${isWorker ? onlyWorker : driver}${worker}`;
}

/** Whether a process in the background wrote a log: progress, and how the run ended. */
export function isFromBackground(name: string): boolean {
  return name.startsWith(driver) || name.startsWith(onlyWorker);
}

/** Whether a log only repeats what others hold: a driver shows what its workers write. */
export function isCopy(name: string): boolean {
  return name.startsWith(driver);
}

/** Whether a log is that of a worker. */
export function isLogOf(name: string, worker: string): boolean {
  return name === worker || name === `${onlyWorker}${worker}`;
}
