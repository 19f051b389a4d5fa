import { MillraceError } from "../../errors/errors.ts";
import { describeKind } from "../../values/state-json.ts";

/** Refuses an index that is no row of the dataset. */
export function checkIndex(index: number, { name, length }: { readonly name: string; readonly length: number }): void {
  // Written so that fractions, NaN and texts are refused too.
  if (Number.isSafeInteger(index) && index >= 0 && index < length) return;
  const shown = typeof index === "number" ? String(index) : describeKind(index);
  throw new MillraceError("BAD_ITEMS", `${name} has ${length} rows; ${shown} is not the index of one.`, {
    hint:
      length === 0
        ? "The dataset is empty: check the file that it was opened from."
        : `Indices are whole numbers from 0 to ${length - 1}. dataset.at(dataset.length - 1) is the last row.`,
  });
}
