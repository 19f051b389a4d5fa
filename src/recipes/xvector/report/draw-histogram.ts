import { drawing, escapeText, shortNumber } from "./markup.ts";

/** One of the distributions in a histogram. */
export interface HistogramSeries {
  readonly name: string;
  readonly colour: string;
  readonly values: ArrayLike<number>;
}

export interface HistogramOptions {
  readonly title: string;
  readonly unit: string;
  /** A line at a value. */
  readonly mark?: { readonly at: number; readonly name: string } | undefined;
}

const size = { width: 720, height: 260, margin: 40 };
const binCount = 60;

/** Overlaid distributions, each normalised by its own count. */
export function drawHistogram(series: readonly HistogramSeries[], { title, unit, mark }: HistogramOptions): string {
  const filled = series.filter(({ values }) => values.length > 0);
  if (filled.length === 0) return drawing(size.width, 60, title, ['<text x="24" y="36">Nothing to show.</text>']);
  const [min, max] = rangeOf(filled);
  const span = max - min || 1;
  const counted = filled.map((one) => ({ ...one, shares: countShares(one.values, min, span) }));
  const highest = Math.max(...counted.flatMap(({ shares }) => shares));
  const inner = { width: size.width - 2 * size.margin, height: size.height - 2 * size.margin };
  const toX = (value: number) => size.margin + ((value - min) / span) * inner.width;
  const toY = (share: number) => size.height - size.margin - (share / highest) * inner.height;
  const barWidth = inner.width / binCount;
  const bars = counted.flatMap(({ colour, shares }) =>
    shares.flatMap((share, bin) => {
      if (share === 0) return [];
      const place = `x="${shortNumber(size.margin + bin * barWidth)}" y="${shortNumber(toY(share))}"`;
      const extent = `width="${shortNumber(barWidth)}" height="${shortNumber(size.height - size.margin - toY(share))}"`;
      return `<rect ${place} ${extent} fill="${colour}" fill-opacity=".55"/>`;
    }),
  );
  const base = size.height - size.margin;
  const ticks = Array.from({ length: 7 }, (_, i) => min + (span * i) / 6).map(
    (value) =>
      `<text x="${shortNumber(toX(value))}" y="${base + 16}" text-anchor="middle">${shortNumber(value)}</text>`,
  );
  const names = counted.flatMap(({ name, colour, values }, i) => [
    `<rect x="${size.margin + 4}" y="${10 + 18 * i}" width="10" height="10" fill="${colour}" fill-opacity=".7"/>`,
    `<text x="${size.margin + 20}" y="${19 + 18 * i}">${escapeText(name)} (${values.length})</text>`,
  ]);
  const marked =
    mark === undefined || mark.at < min || mark.at > max
      ? []
      : [
          `<line class="mark" x1="${shortNumber(toX(mark.at))}" x2="${shortNumber(toX(mark.at))}" y1="${size.margin}" y2="${base}"/>`,
          `<text x="${shortNumber(toX(mark.at) + 4)}" y="${size.margin - 4}">${escapeText(mark.name)}</text>`,
        ];
  const axis = `<path class="axis" d="M${size.margin} ${base}H${size.width - size.margin}"/>`;
  const label = `<text x="${size.width - size.margin}" y="${base + 32}" text-anchor="end">${escapeText(unit)}</text>`;
  return drawing(size.width, size.height, title, [...bars, axis, ...ticks, label, ...names, ...marked]);
}

function rangeOf(series: readonly HistogramSeries[]): [number, number] {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { values } of series)
    for (let i = 0; i < values.length; i++) {
      min = Math.min(min, values[i]!);
      max = Math.max(max, values[i]!);
    }
  return [min, max];
}

function countShares(values: ArrayLike<number>, min: number, span: number): number[] {
  const counts = new Array<number>(binCount).fill(0);
  for (let i = 0; i < values.length; i++) {
    const bin = Math.min(binCount - 1, Math.floor(((values[i]! - min) / span) * binCount));
    counts[bin] = counts[bin]! + 1;
  }
  return counts.map((count) => count / values.length);
}
