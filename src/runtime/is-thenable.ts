/** True if a hook returned a promise. Synchronous results are not awaited: an await costs more than a tiny item. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}
