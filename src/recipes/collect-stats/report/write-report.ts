import { join } from "node:path";
import { safeFileName } from "../../../formats.ts";
import type { CmvnStats } from "../../../speech.ts";
import { putFile } from "../../put-file.ts";
import type { LengthHistogram } from "../measure-lengths.ts";
import { momentsOf } from "../moments.ts";
import { drawChart, showNumber } from "./draw-chart.ts";
import { escapeText } from "./escape-text.ts";

/** The data of a key's report. */
export interface KeyReport {
  readonly key: string;
  readonly lengths: LengthHistogram | undefined;
  readonly totals: CmvnStats | undefined;
}

/**
 * Writes the report: for each key a chart of the lengths and one of mean and deviation, and one page with all of them.
 * Lengths that are all 1 belong to single vectors and are not shown.
 */
export function writeReport(folder: string, mode: string, reports: readonly KeyReport[]): void {
  const sections = reports.map(({ key, lengths, totals }) => {
    const name = join(folder, safeFileName(key));
    const charts: string[] = [];
    if (lengths !== undefined && lengths.longest > 1) {
      putFile(`${name}_length_histogram.json`, `${JSON.stringify(lengths, undefined, 1)}\n`);
      charts.push(put(`${name}_length_histogram.svg`, drawLengths(key, lengths)));
    }
    if (isWorthShowing(totals)) charts.push(put(`${name}_stats.svg`, drawMoments(key, totals)));
    return `<h2>${escapeText(key)}</h2>\n${charts.join("")}${tableOf(totals)}`;
  });
  putFile(join(folder, "collect_stats.html"), pageOf(mode, sections));
}

function put(path: string, chart: string): string {
  putFile(path, chart);
  return `<figure>\n${chart}</figure>\n`;
}

function isWorthShowing(totals: CmvnStats | undefined): totals is CmvnStats {
  return totals !== undefined && totals.count > 0 && totals.sum.length > 0;
}

// A longer table is not readable; the npz has the numbers.
const maxRows = 512;

function tableOf(totals: CmvnStats | undefined): string {
  if (!isWorthShowing(totals) || totals.sum.length > maxRows) return "";
  const { mean, variance } = momentsOf(totals);
  const rows = Array.from(mean, (value, i) => {
    const cells = [String(i), showNumber(value), showNumber(Math.sqrt(variance[i]!))];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  });
  return `<details><summary>numbers</summary>\n<table><tr><th>dimension</th><th>mean</th><th>deviation</th></tr>\n${rows.join("\n")}\n</table></details>\n`;
}

function pageOf(mode: string, sections: readonly string[]): string {
  const style =
    "body{font-family:sans-serif;max-width:760px;margin:2em auto;padding:0 1em;color:#333;background:#fff}figure{margin:1em 0}svg{max-width:100%;height:auto}td,th{text-align:right;padding:0 1em}";
  const title = `Statistics of ${escapeText(mode === "" ? "the corpus" : mode)}`;
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>${style}</style></head>\n<body>\n<h1>${title}</h1>\n${sections.join("")}</body></html>\n`;
}

/** The histogram of the lengths of a key. */
function drawLengths(key: string, { bins, count, mean, shortest, longest }: LengthHistogram): string {
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

/** Mean and deviation of each dimension of a key: a line within a band. */
function drawMoments(key: string, totals: CmvnStats): string {
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
