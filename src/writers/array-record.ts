import { MillraceError } from "../errors/errors.ts";
import type { NdArray } from "../formats/nd-array.ts";

/** An array and its id. */
export interface ArrayRecord<Value = NdArray> {
  readonly id: string;
  readonly array: Value;
}

// Blanks and control characters end a word or a line for some readers; an unpaired surrogate has no UTF-8.
const unfit = /[\s\p{Cc}\p{Surrogate}]/u;

/** Refuses an id that would be read differently from the list `id path`. */
export function checkListedId(id: string): string {
  if (typeof id === "string" && id !== "" && !unfit.test(id)) return id;
  throw new MillraceError("BAD_RECORD", `${JSON.stringify(id)} cannot be an id in a list of "id path" lines.`, {
    hint: "Give every record an id without blanks and control characters; other characters are kept as they are.",
  });
}
