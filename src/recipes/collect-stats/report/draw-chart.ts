import { escapeText } from "./escape-text.ts";

/** A chart: axes with round ticks, and an area to draw in. */
export interface Chart {
  readonly title: string;
  readonly xLabel: string;
  readonly x: readonly [from: number, to: number];
  readonly y: readonly [from: number, to: number];
  /** Draws the content; the two functions convert values to coordinates. */
  readonly content: (x: (value: number) => number, y: (value: number) => number) => string;
}

const size = { width: 720, height: 300, left: 70, right: 20, top: 36, bottom: 46 };

/** A chart as a standalone SVG file: no scripts, no fonts, no external references. */
export function drawChart({ title, xLabel, x: [x0, x1], y: [y0, y1], content }: Chart): string {
  const { width, height, left, right, top, bottom } = size;
  const x = (value: number) => place(left + ((value - x0) / (x1 - x0 || 1)) * (width - left - right));
  const y = (value: number) => place(height - bottom - ((value - y0) / (y1 - y0 || 1)) * (height - top - bottom));
  const text = (atX: number, atY: number, anchor: string, words: string) =>
    `<text x="${atX}" y="${atY}" text-anchor="${anchor}">${escapeText(words)}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="sans-serif" font-size="11" fill="#333">`,
    `<title>${escapeText(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<g font-size="14">${text(left, 22, "start", title)}</g>`,
    ...marksBetween(y0, y1).map(
      (mark) =>
        `<path d="M${left} ${y(mark)}H${width - right}" stroke="#ddd"/>${text(left - 6, y(mark) + 4, "end", showNumber(mark))}`,
    ),
    content(x, y),
    `<path d="M${left} ${height - bottom}H${width - right}" stroke="#333"/>`,
    ...marksBetween(x0, x1).map((mark) => text(x(mark), height - bottom + 16, "middle", showNumber(mark))),
    text((left + width - right) / 2, height - 10, "middle", xLabel),
    "</svg>",
    "",
  ].join("\n");
}

/** Four to nine round numbers within a range. */
function marksBetween(from: number, to: number): number[] {
  const span = to - from;
  if (!(span > 0)) return [from];
  const power = 10 ** Math.floor(Math.log10(span));
  const step = [0.2, 0.5, 1, 2].map((factor) => factor * power).find((width) => span / width <= 8) ?? 2 * power;
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, i) => (first + i) * step);
}

/** A readable number: integers in full, others with few digits. */
export function showNumber(value: number): string {
  const short = Number.isInteger(value) ? value : Number(value.toPrecision(4));
  return Number.isInteger(short) && Math.abs(short) < 1e15 ? short.toLocaleString("en-US") : String(short);
}

// A tenth of a pixel is enough, and keeps the file small and identical everywhere.
function place(value: number): number {
  return Math.round(value * 10) / 10;
}
