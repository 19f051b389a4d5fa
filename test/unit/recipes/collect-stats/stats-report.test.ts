import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { measureLengths } from "../../../../src/recipes/collect-stats/measure-lengths.ts";
import { writeReport } from "../../../../src/recipes/collect-stats/report/write-report.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

function shapeFile(lengths: readonly number[]): string {
  const path = join(temporaryFolder(), "feats_shape");
  writeFileSync(path, lengths.map((length, i) => `utt-${i} ${length},80\n`).join(""));
  return path;
}

describe("a histogram of lengths", () => {
  it("counts every utterance in bins with round bounds", () => {
    const lengths = Array.from({ length: 1000 }, (_, i) => 37 + ((i * 7919) % 2345));
    const { bins, ...rest } = measureLengths(shapeFile(lengths));
    const total = lengths.reduce((sum, length) => sum + length, 0);
    expect(rest).toEqual({
      count: 1000,
      total,
      shortest: Math.min(...lengths),
      longest: Math.max(...lengths),
      mean: total / 1000,
    });
    for (const { from, to, count } of bins) {
      expect(from % 100).toBe(0);
      expect(count).toBe(lengths.filter((length) => length >= from && length < to).length);
    }
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(1000);
  });

  it.each([[[]], [[5]], [[5, 5, 5]], [[0, 1]], [[1, 10_000_000]]])("takes the lengths %j", (lengths) => {
    const { count, bins } = measureLengths(shapeFile(lengths));
    expect(count).toBe(lengths.length);
    expect(bins.reduce((sum, bin) => sum + bin.count, 0)).toBe(lengths.length);
    expect(bins.length).toBeLessThan(60);
  });
});

describe("a report", () => {
  const bins = [10, 20, 30].map((from) => ({ from, to: from + 10, count: 1 }));
  const lengths = { count: 3, total: 60, shortest: 10, longest: 30, mean: 20, bins };
  const totals = { count: 4, sum: Float64Array.of(4, 8), sumSquare: Float64Array.of(8, 16) };

  it("is a page and charts that need nothing from elsewhere", () => {
    const dir = temporaryFolder();
    writeReport(dir, "train", [{ key: "feats", lengths, totals }]);
    expect(readdirSync(dir).sort()).toEqual([
      "collect_stats.html",
      "feats_length_histogram.json",
      "feats_length_histogram.svg",
      "feats_stats.svg",
    ]);
    const page = readFileSync(join(dir, "collect_stats.html"), "utf8");
    expect(page).toContain("Statistics of train");
    expect(page.match(/<svg /g)).toHaveLength(2);
    expect(page.replaceAll('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(
      /https?:|<script|src=|href=|@import|url\(/,
    );
  });

  it("shows names from data as text", () => {
    const dir = temporaryFolder();
    writeReport(dir, '<img src=x onerror="1">', [{ key: "<script>alert(1)</script>\u0001&'\"", lengths, totals }]);
    for (const name of readdirSync(dir)) {
      const text = readFileSync(join(dir, name), "utf8");
      expect(text).not.toMatch(/<script|<img/);
      expect(text).not.toContain("\u0001");
    }
    expect(readFileSync(join(dir, "collect_stats.html"), "utf8")).toContain(
      "&lt;script&gt;alert(1)&lt;/script&gt;\ufffd&amp;&#39;&quot;",
    );
  });

  it("draws a single dimension, no deviation and nothing at all without odd numbers", () => {
    const dir = temporaryFolder();
    const one = { count: 2, sum: Float64Array.of(2), sumSquare: Float64Array.of(2) };
    const none = { count: 0, sum: new Float64Array(2), sumSquare: new Float64Array(2) };
    const empty = { count: 3, sum: new Float64Array(0), sumSquare: new Float64Array(0) };
    writeReport(dir, "", [
      { key: "one", lengths: measureLengths(shapeFile([1, 1])), totals: one },
      { key: "none", lengths: measureLengths(shapeFile([])), totals: none },
      { key: "empty", lengths: undefined, totals: empty },
    ]);
    expect(readdirSync(dir).sort()).toEqual(["collect_stats.html", "one_stats.svg"]);
    expect(readFileSync(join(dir, "collect_stats.html"), "utf8")).not.toMatch(/NaN|Infinity|undefined/);
  });
});
