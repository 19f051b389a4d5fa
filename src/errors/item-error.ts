/**
 * One item of a batch that has failed, returned by `forward` among the results of the others. Only that item counts as
 * failed, with this error's message; the batch is neither halved nor called again for it.
 *
 * ```ts
 * return answers.map((answer) => (answer.error ? new ItemError(answer.error.message) : answer.value));
 * ```
 */
export class ItemError extends Error {
  override readonly name: string = "ItemError";
}

/** True for an {@link ItemError}, including one of another copy of this package. */
export function isItemError(value: unknown): value is ItemError {
  return value instanceof Error && value.name === "ItemError";
}
