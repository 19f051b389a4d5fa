import type { CmvnStats } from "../../../speech.ts";
import { momentsOf } from "../moments.ts";
import { drawChart, showNumber } from "./draw-chart.ts";

/** Mean and deviation of each dimension of a key: a line within a band. */
export function drawMoments(key: string, totals: CmvnStats): string {
  const { mean, variance } = momentsOf(totals);
  const deviation = variance.map((value) => Math.sqrt(value));
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [i, value] of mean.entries()) {
    low = Math.min(low, value - deviation[i]!);
    high = Math.max(high, value + deviation[i]!);
  }
  const [from, to] = low < high ? [low, high] : [low - 1, low + 1];
  return drawChart({
    title: `${key}: mean and deviation of ${showNumber(mean.length)} dimensions over ${showNumber(totals.count)} frames`,
    xLabel: "dimension",
    x: [0, Math.max(1, mean.length - 1)],
    y: [from, to],
    content: (x, y) => {
      const points = (values: Iterable<[number, number]>) => Array.from(values, ([i, v]) => `${x(i)},${y(v)}`);
      const upper = points(mean.map((value, i) => value + deviation[i]!).entries());
      const lower = points(mean.map((value, i) => value - deviation[i]!).entries()).reverse();
      const line = points(mean.entries());
      // A single dimension is a point, which a line would not show.
      const dot =
        mean.length === 1
          ? `<path d="M${x(0)} ${y(to)}V${y(from)}" stroke="#4477aa"/><circle cx="${x(0)}" cy="${y(mean[0]!)}" r="4" fill="#aa3377"/>`
          : "";
      return `<polygon points="${[...upper, ...lower].join(" ")}" fill="#4477aa" fill-opacity="0.25"/>\n<polyline points="${line.join(" ")}" fill="none" stroke="#aa3377" stroke-width="1.5"/>${dot}`;
    },
  });
}
