/** Which of the workers of a run this is. */
export interface CurrentWorker {
  /** From 0. A worker that replaces another has its number. */
  readonly worker: number;
  /** How many workers were asked for. */
  readonly workers: number;
}

const variables = { worker: "MILLRACE_WORKER", workers: "MILLRACE_WORKERS" } as const;

// A registered symbol, because the script and the worker may have loaded two copies of this package.
const key = Symbol.for("millrace.currentWorker");

/**
 * Returns the worker in which user code runs: in `forward`, in the provider and in every other hook: to choose a
 * device, a port or a folder. `{ worker: 0, workers: 1 }` with `env: local` and outside of a run. What a run computes
 * must not depend on it: shards go to whichever worker is free.
 */
export function currentWorker(): CurrentWorker {
  const assigned = Reflect.get(globalThis, key) as CurrentWorker | undefined;
  if (assigned !== undefined) return assigned;
  const [worker, workers] = [Number(process.env[variables.worker]), Number(process.env[variables.workers])];
  return isWorker(worker, workers) ? { worker, workers } : { worker: 0, workers: 1 };
}

/** Says which worker this thread is. A process knows it from its environment. */
export function assignWorker(current: CurrentWorker): void {
  Reflect.set(globalThis, key, Object.freeze({ ...current }));
}

/** The environment variables of a worker process. */
export function workerVariables({ worker, workers }: CurrentWorker): Readonly<Record<string, string>> {
  return { [variables.worker]: String(worker), [variables.workers]: String(workers) };
}

function isWorker(worker: number, workers: number): boolean {
  return Number.isSafeInteger(worker) && Number.isSafeInteger(workers) && worker >= 0 && workers >= 1;
}
