// Replaces src/worker/open-shards.ts, as run-in-flight.ts does.
export function openShards(): never {
  throw new Error("A run of the guide has one call of forward open at a time.");
}
