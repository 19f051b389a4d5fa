import { isDataset as isMarked } from "../../plan/dataset-items.ts";
import type { Dataset } from "../dataset.ts";

/** Whether a value is an open dataset: what an opener or `makeDataset` returned, of any copy of this package. */
export function isDataset(value: unknown): value is Dataset<unknown> {
  return isMarked(value);
}
