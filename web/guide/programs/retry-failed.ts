// Replaces src/driver/retry-failed.ts: no run of the guide retries failed items, and the page stays small.
export function retryFailed(): Promise<never> {
  return Promise.reject(new Error("A run of the guide does not retry failed items."));
}
