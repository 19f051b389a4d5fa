// Replaces src/worker/shard/run-in-flight.ts: a run of the guide has one call of forward open, and the page stays small.
export function runInFlight(): Promise<never> {
  return Promise.reject(new Error("A run of the guide has one call of forward open at a time."));
}
