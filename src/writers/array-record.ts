import type { NdArray } from "../formats/nd-array.ts";
import { MillraceError } from "../shared/errors.ts";

/** An array and the id it is found by. */
export interface ArrayRecord {
  readonly id: string;
  readonly array: NdArray;
}

// Blanks and control characters end a word or a line for one reader or another; half a surrogate pair has no UTF-8.
const unfit = /[\s\p{Cc}\p{Surrogate}]/u;

/** Refuses an id that would be another one when the list `id path` is read again. */
export function checkListedId(id: string): string {
  if (typeof id === "string" && id !== "" && !unfit.test(id)) return id;
  throw new MillraceError("BAD_RECORD", `${JSON.stringify(id)} cannot be an id in a list of "id path" lines.`, {
    hint: "Give every record an id without blanks and control characters; other characters are kept as they are.",
  });
}
