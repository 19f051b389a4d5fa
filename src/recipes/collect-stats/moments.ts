import type { CmvnStats } from "../../speech.ts";

/** Mean and variance of each dimension, as in ESPnet's `GlobalMVN`; rounding never makes a variance negative. */
export function momentsOf({ sum, sumSquare, count }: CmvnStats): { mean: Float64Array; variance: Float64Array } {
  const mean = Float64Array.from(sum, (value) => value / count);
  const variance = Float64Array.from(sumSquare, (value, i) => Math.max(0, value / count - mean[i]! * mean[i]!));
  return { mean, variance };
}
