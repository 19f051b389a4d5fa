import { encodeNpz, type NdArray, ndArray, openNpz } from "../../formats.ts";
import { MillraceError } from "../../index.ts";
import type { CmvnStats } from "../../speech.ts";
import { putFile } from "../put-file.ts";
import { momentsOf } from "./moments.ts";

/** The statistics in a `{key}_stats.npz` of millrace or ESPnet, in the form that `globalCmvn` takes. */
export function readCmvnStats(path: string): CmvnStats & { readonly shape: readonly number[] } {
  const npz = openNpz(path);
  try {
    const { shape } = npz.get("sum");
    const numbers = (name: string) => numbersOf(npz.get(name));
    const [count = 0] = numbers("count");
    return { sum: numbers("sum"), sumSquare: numbers("sum_square"), count, shape };
  } finally {
    npz.close();
  }
}

/**
 * Writes mean and variance of each dimension, from a `{key}_stats.npz` or from totals, as an npz file with `mean`,
 * `var` and `std`. It also contains `count`, `sum` and `sum_square`, so ESPnet's `GlobalMVN` accepts it as its
 * `stats_file`.
 */
export function writeGlobalCmvn(
  stats: string | (CmvnStats & { readonly shape?: readonly number[] }),
  target: string,
): void {
  const known = typeof stats === "string" ? readCmvnStats(stats) : stats;
  if (!(known.count > 0)) {
    throw new MillraceError("BAD_OPTION", `There is no mean of ${known.count} frames.`, {
      hint: "Collect statistics over at least one utterance.",
    });
  }
  const { mean, variance } = momentsOf(known);
  const shape = known.shape ?? [mean.length];
  const float64 = (values: ArrayLike<number>) => ndArray("float64", Float64Array.from(values), shape);
  putFile(
    target,
    encodeNpz({
      count: ndArray("int64", BigInt64Array.of(BigInt(known.count)), []),
      sum: float64(known.sum),
      sum_square: float64(known.sumSquare),
      mean: float64(mean),
      var: float64(variance),
      std: float64(variance.map(Math.sqrt)),
    }),
  );
}

function numbersOf({ data }: NdArray): Float64Array {
  return Float64Array.from(data as Float64Array, Number);
}
