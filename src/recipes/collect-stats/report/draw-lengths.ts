import type { LengthHistogram } from "../measure-lengths.ts";
import { drawChart, showNumber } from "./draw-chart.ts";

/** The histogram of the lengths of a key. */
export function drawLengths(key: string, { bins, count, mean, shortest, longest }: LengthHistogram): string {
  const highest = bins.reduce((max, bin) => Math.max(max, bin.count), 0);
  return drawChart({
    title: `${key}: lengths of ${showNumber(count)} utterances, ${showNumber(shortest)} to ${showNumber(longest)}, mean ${showNumber(mean)}`,
    xLabel: "length",
    x: [bins[0]?.from ?? 0, bins.at(-1)?.to ?? 1],
    y: [0, Math.max(1, highest)],
    content: (x, y) =>
      bins
        .filter((bin) => bin.count > 0)
        .map((bin) => {
          const width = Math.max(1, x(bin.to) - x(bin.from) - 1).toFixed(1);
          const height = (y(0) - y(bin.count)).toFixed(1);
          const words = `${bin.from} to ${bin.to - 1}: ${bin.count}`;
          return `<rect x="${x(bin.from)}" y="${y(bin.count)}" width="${width}" height="${height}" fill="#4477aa"><title>${words}</title></rect>`;
        })
        .join("\n"),
  });
}
