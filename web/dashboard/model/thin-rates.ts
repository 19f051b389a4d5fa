import type { RatePoint } from "../../../src/dashboard/run-view.ts";

/** Halves the number of points if there are too many: neighbours become their mean, weighted by duration. */
export function thinRates(rates: readonly RatePoint[], most: number): readonly RatePoint[] {
  if (rates.length <= most) return rates;
  const thinned: RatePoint[] = [];
  for (let i = 0; i < rates.length; i += 2) {
    const [one, other] = [rates[i]!, rates[i + 1]];
    if (other === undefined) {
      thinned.push(one);
      continue;
    }
    const before = Math.max(0, one.at - (rates[i - 1]?.at ?? one.at - (other.at - one.at)));
    const after = Math.max(0, other.at - one.at);
    const span = before + after;
    const mean =
      span === 0
        ? (one.itemsPerSecond + other.itemsPerSecond) / 2
        : (one.itemsPerSecond * before + other.itemsPerSecond * after) / span;
    thinned.push({ at: other.at, itemsPerSecond: mean });
  }
  return thinned;
}
