import { describe, expect, it } from "vitest";
import { sampleOf } from "../../../../src/recipes/xvector/outputs/sample-of.ts";
import { drawHistogram } from "../../../../src/recipes/xvector/report/draw-histogram.ts";
import { drawMap } from "../../../../src/recipes/xvector/report/draw-map.ts";
import { escapeText } from "../../../../src/recipes/xvector/report/markup.ts";
import { projectToPlane } from "../../../../src/recipes/xvector/report/pca.ts";
import { reportPage } from "../../../../src/recipes/xvector/report/report-page.ts";
import type { XVectorResult } from "../../../../src/recipes/xvector/xvector-result.ts";

function result(utt_id: string, speaker_id: string, ...vector: number[]): XVectorResult {
  return { record: { utt_id, speaker_id, seconds: 1.5 }, vector: Float32Array.from(vector) };
}

const hostile = `<script>alert("1")</script>&'\u0000\u001b`;

describe("the map", () => {
  it("shows every utterance, coloured by its speaker, the same every time", () => {
    const sample = [result("a", "s1", 1, 0, 0), result("b", "s1", 0.9, 0.1, 0), result("c", "s2", 0, 1, 0.2)];
    const map = drawMap(sample);
    expect(drawMap(sample)).toBe(map);
    expect([...map.matchAll(/<circle[^>]*fill-opacity/g)]).toHaveLength(3);
    const colours = [...map.matchAll(/fill="(hsl[^"]*)" fill-opacity/g)].map(([, colour]) => colour);
    expect(colours[0]).toBe(colours[1]);
    expect(colours[0]).not.toBe(colours[2]);
  });

  it("escapes names, which come from manifests", () => {
    const map = drawMap([result(hostile, hostile, 1, 0), result("b", "s", 0, 1)]);
    expect(map).not.toContain("<script");
    expect(map).not.toContain("\u0000");
    expect(map).toContain("&lt;script&gt;");
  });

  it("is drawn for one vector, for equal ones and for none", () => {
    expect(drawMap([result("a", "s", 1, 2)])).toContain("<circle");
    expect(drawMap([result("a", "s", 1, 2), result("b", "s", 1, 2)])).not.toContain("NaN");
    expect(drawMap([])).toContain("No embeddings");
  });
});

describe("projectToPlane", () => {
  it("finds the two directions in which vectors differ most", () => {
    // Points on a circle, far along the first axis, less along the second, hardly along the third.
    const vectors = Array.from({ length: 40 }, (_, i) =>
      Float32Array.of(3 * Math.sin(i), 1.5 * Math.cos(1.7 * i), 0.01 * Math.sin(5 * i), 4),
    );
    const { x, y, explained } = projectToPlane(vectors);
    const firsts = vectors.map((vector) => vector[0]! / Math.hypot(...vector));
    expect(Math.abs(correlation(x, firsts))).toBeGreaterThan(0.99);
    expect(Math.abs(correlation(x, [...y]))).toBeLessThan(1e-6);
    expect(explained[0]).toBeGreaterThan(explained[1]);
    expect(explained[0] + explained[1]).toBeGreaterThan(0.95);
  });
});

function correlation(a: Float64Array, b: readonly number[]): number {
  const mean = b.reduce((sum, value) => sum + value, 0) / b.length;
  const dot = b.reduce((sum, value, i) => sum + (value - mean) * a[i]!, 0);
  return dot / Math.sqrt(a.reduce((s, v) => s + v * v, 0) * b.reduce((s, v) => s + (v - mean) ** 2, 0));
}

describe("a histogram", () => {
  it("has bars for each distribution and a line at the threshold", () => {
    const series = [
      { name: "same", colour: "#00f", values: [0.8, 0.9, 0.85] },
      { name: "different", colour: "#f00", values: Float64Array.of(0.1, 0.2) },
    ];
    const drawn = drawHistogram(series, { title: "t", unit: "cosine", mark: { at: 0.5, name: "EER" } });
    expect([...drawn.matchAll(/<rect/g)].length).toBe(2 + 5);
    expect(drawn).toContain('class="mark"');
  });

  it("is drawn for one value and for none", () => {
    const draw = (values: number[]) =>
      drawHistogram([{ name: "n", colour: "#000", values }], { title: "t", unit: "s" });
    expect(draw([2])).not.toContain("NaN");
    expect(draw([])).toContain("Nothing to show");
  });
});

describe("the page", () => {
  const summary = {
    split: hostile,
    written: 2,
    failed: 1,
    dimension: 3,
    speakers: 2,
    seconds: 7200,
    eer: { eer: 0.015667, threshold: 0.71 },
    vectors: "v",
    index: "i",
    failures: "f",
    report: "r",
  };
  const page = reportPage({
    summary,
    failures: [{ id: hostile, line: 3, audio: "x.wav", code: "BAD_AUDIO", message: hostile }],
    drawings: { map: "<svg id=map></svg>", cosines: "<svg id=cosines></svg>", durations: "<svg id=durations></svg>" },
    scores: { same: [1, 1], different: [0] },
    toolkit: "onnx",
    model: hostile,
    shown: undefined,
  });

  it("says what there is, with the equal error rate", () => {
    expect(page).toContain("1.57 %");
    expect(page).toContain("2.00 h");
    expect(page).toContain("2 of one speaker, 1 of two");
  });

  it("needs nothing from elsewhere and holds no script", () => {
    expect(page).not.toMatch(/<script|https?:|src=|@import/i);
    expect(page).not.toContain("\u0000");
  });
});

it("escapeText leaves nothing that ends a text or an attribute", () => {
  expect(escapeText(`a<b>"c'&d\u0007\ud800`)).toBe("a&lt;b&gt;&quot;c&#39;&amp;d\ufffd\ufffd");
});

describe("sampleOf", () => {
  it("takes everything up to its limit, and evenly spread values beyond", () => {
    const few = sampleOf<number>(8);
    for (let i = 0; i < 8; i++) few.add(i);
    expect(few.taken).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    const many = sampleOf<number>(8);
    for (let i = 0; i < 100; i++) many.add(i);
    expect(many.taken).toEqual([0, 16, 32, 48, 64, 80, 96]);
  });
});
