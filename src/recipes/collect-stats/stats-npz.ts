import { encodeNpz, ndArray } from "../../formats.ts";
import { frameTotals } from "../../speech.ts";
import type { KeyStats } from "./collect-stats-batch.ts";

/** `count`, `sum` and `sum_square` as ESPnet's `GlobalMVN` reads them; the sums in float64. */
export function encodeStats({ frameShape, sums }: KeyStats): Buffer {
  const { count, sum, sumSquare } = frameTotals(sums);
  return encodeNpz({
    count: ndArray("int64", BigInt64Array.of(BigInt(count)), []),
    sum: ndArray("float64", sum, frameShape),
    sum_square: ndArray("float64", sumSquare, frameShape),
  });
}
