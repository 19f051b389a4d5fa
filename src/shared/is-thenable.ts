/** Whether a hook answered later. Hooks that answer at once are never awaited: an await costs more than a tiny item. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}
