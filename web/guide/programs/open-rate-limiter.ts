// Replaces src/run-folder/rate/open-rate-limiter.ts, as run-in-flight.ts does.
export function openRateLimiter(): never {
  throw new Error("A run of the guide has no limit of its rate.");
}
