// The figures that `npm run bench` saved, as tables and as one chart that compares each with its limit.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../ensure.mjs";

/** Writes the newest figures of each benchmark into docs/benchmarks.md, and their chart beside it. */
export function writeBenchmarkPage() {
  const results = JSON.parse(readFileSync(join(root, "bench", "results", "latest.json"), "utf8"));
  const page = join(root, "docs", "benchmarks.md");
  const [begin, end] = ["<!-- figures -->", "<!-- end of figures -->"];
  const text = readFileSync(page, "utf8");
  const [before, after] = [text.slice(0, text.indexOf(begin) + begin.length), text.slice(text.indexOf(end))];
  writeIfNew(page, `${before}\n\n${benchmarkTables(results)}\n${after}`);
  writeIfNew(join(root, "docs", "public", "benchmarks.svg"), benchmarkChart(results));
}

function writeIfNew(file, text) {
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Markdown: a table for each benchmark, with the day and the machine. */
function benchmarkTables(results) {
  const parts = results.map(({ bench, date, machine, note, rows }) => {
    const { cpu, cores, memoryGb, system, node } = machine;
    const memory = memoryGb === undefined ? [] : [`${memoryGb} GB`];
    return [
      `### ${bench}`,
      "",
      [date, cpu, `${cores} cores`, ...memory, system, `Node ${node}`].join(", ") +
        (note === undefined ? "" : `. ${note}`),
      "",
      "| what | measured | limit | of the limit |",
      "| --- | --- | --- | --- |",
      ...rows.map((row) => `| ${row.what} | ${strong(row)} | ${withUnit(row.limit, row.unit)} | ${shareOf(row)} |`),
      "",
    ].join("\n");
  });
  return parts.join("\n");
}

function strong(row) {
  const text = withUnit(row.value, row.unit);
  return row.holds ? text : `**${text}**`;
}

function withUnit(value, unit) {
  return `${value.toLocaleString("en")}${unit === "" ? "" : ` ${unit}`}`;
}

function shareOf({ value, limit }) {
  return limit > 0 ? `${Math.round((100 * value) / limit)} %` : "-";
}

const [lineHeight, left, width, right] = [22, 470, 420, 110];
const most = 1.5;

/** SVG: a bar for each figure, as a fraction of its limit. */
function benchmarkChart(results) {
  const rows = results.flatMap(({ bench, rows: own }) => own.map((row) => ({ ...row, bench })));
  const shown = rows.filter(({ limit }) => limit > 0);
  const height = shown.length * lineHeight + 60;
  const limitAt = left + width / most;
  const bars = shown.map((row, i) => {
    const y = 44 + i * lineHeight;
    const share = Math.min(most, row.value / row.limit);
    const kind = row.holds ? "held" : "above";
    return [
      `<text x="${left - 10}" y="${y + 12}" text-anchor="end">${xml(clip(`${row.bench}: ${row.what}`))}</text>`,
      `<rect class="${kind}" x="${left}" y="${y}" width="${Math.max(1, (share * width) / most).toFixed(1)}" height="15" rx="2"/>`,
      `<text x="${left + width + 8}" y="${y + 12}">${xml(withUnit(row.value, row.unit))}${row.holds ? "" : " (above)"}</text>`,
    ].join("");
  });
  const days = results.map(({ date }) => date).sort();
  const title = `Figures by their limits, ${days[0]} to ${days.at(-1)}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + right} ${height}" role="img" aria-label="${xml(title)}">
<title>${xml(title)}</title>
<style>text{font:12px system-ui,sans-serif;fill:#1b2330}.held{fill:#3d83c4}.above{fill:#c4572c}line{stroke:#1b2330;stroke-dasharray:4 3}</style>
<rect width="100%" height="100%" fill="#fff"/>
<text x="${limitAt}" y="20" text-anchor="middle">limit</text>
${bars.join("\n")}
<line x1="${limitAt}" x2="${limitAt}" y1="28" y2="${height - 12}"/>
</svg>
`;
}

function clip(text) {
  return text.length > 76 ? `${text.slice(0, 75)}…` : text;
}

function xml(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
