import { availableParallelism } from "node:os";

// Numeric libraries start one thread per core by default: n workers would start n threads per core.
const names = [
  "OMP_NUM_THREADS",
  "MKL_NUM_THREADS",
  "OPENBLAS_NUM_THREADS",
  "NUMEXPR_NUM_THREADS",
  "VECLIB_MAXIMUM_THREADS",
];

/** Environment variables that divide the cores among the workers of a machine. Variables of the user are not changed. */
export function threadVariables(nWorkers: number, threadsPerWorker?: number): Record<string, string> {
  const share = threadsPerWorker ?? Math.max(1, Math.floor(availableParallelism() / nWorkers));
  const unset = names.filter((name) => threadsPerWorker !== undefined || process.env[name] === undefined);
  return Object.fromEntries(unset.map((name) => [name, String(share)]));
}
