// Replaces src/worker/shard/call-ahead.ts, as run-in-flight.ts does.
export function callAhead(): never {
  throw new Error("A run of the guide has one call of forward open at a time.");
}
