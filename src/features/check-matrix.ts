import { MillraceError } from "../errors/errors.ts";
import type { FeatureMatrix } from "./feature-matrix.ts";

/** A matrix whose data does not fit its shape would give shifted rows. */
export function checkMatrix(what: string, { data, rows, columns }: FeatureMatrix): void {
  if (data instanceof Float32Array && data.length === rows * columns && Number.isSafeInteger(rows) && columns >= 0)
    return;
  throw new MillraceError(
    "BAD_OPTION",
    `${what}: a matrix of ${rows} x ${columns} does not have ${data?.length ?? "no"} values.`,
    { hint: "Give { data: Float32Array, rows, columns } with rows * columns values, as fbank() and mfcc() return it." },
  );
}
