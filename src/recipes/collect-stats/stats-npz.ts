import { encodeNpz, ndArray } from "../../formats.ts";
import { frameTotals } from "../../speech.ts";
import type { SummedKey } from "./collect-stats-batch.ts";

/** `count`, `sum` and `sum_square` in the format of ESPnet's `GlobalMVN`; the sums in float64. */
export function encodeStats({ frameShape, sums }: SummedKey): Buffer {
  const { count, sum, sumSquare } = frameTotals(sums);
  return encodeNpz({
    count: ndArray("int64", BigInt64Array.of(BigInt(count)), []),
    sum: ndArray("float64", sum, frameShape),
    sum_square: ndArray("float64", sumSquare, frameShape),
  });
}
