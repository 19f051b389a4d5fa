import { join } from "node:path";
import { safeFileName } from "../../../formats.ts";
import type { CmvnStats } from "../../../speech.ts";
import { putFile } from "../../put-file.ts";
import type { LengthHistogram } from "../measure-lengths.ts";
import { momentsOf } from "../moments.ts";
import { showNumber } from "./draw-chart.ts";
import { drawLengths } from "./draw-lengths.ts";
import { drawMoments } from "./draw-moments.ts";
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
