import { describe, expect, it } from "vitest";
import { levelDb, measureLevel } from "../../../src/recipes/measure-level.ts";

describe("measureLevel", () => {
  it("counts samples at full scale, or at their own largest value beyond it", () => {
    expect(measureLevel(Float32Array.of(1, -1, 0.5, 0)).clipped).toBe(0.5);
    expect(measureLevel(Float32Array.of(3, 1, 0.5, -1)).clipped).toBe(0.25);
    expect(measureLevel(Float32Array.of(0.9, 0.9, 0.9, -0.9)).clipped).toBe(0);
  });

  it("knows the share at full scale, of 16-bit and of float samples", () => {
    expect(measureLevel(Float32Array.of(1 - 1 / 32768, -1, 0.5, 3)).fullScale).toBe(0.75);
    expect(measureLevel(new Float32Array(0)).fullScale).toBe(0);
  });

  it("takes 0.999 for full scale: resampling takes a little off a clipped peak", () => {
    const { clipped, fullScale } = measureLevel(Float32Array.of(0.9991, -0.9991, 0.9989, 0));
    expect([clipped, fullScale]).toEqual([0.5, 0.5]);
  });

  it("measures the peak without a constant offset", () => {
    expect(measureLevel(Float32Array.of(0.6, 0.4, 0.6, 0.4)).peakDb).toBeCloseTo(-20, 4);
    expect(measureLevel(new Float32Array(0)).peakDb).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe("levelDb", () => {
  it("is that of the wave, without a constant offset", () => {
    const samples = Float32Array.from({ length: 16_000 }, (_, i) => 0.25 + 0.1 * Math.sin((2 * Math.PI * i) / 100));
    expect(levelDb(samples)).toBeCloseTo(20 * Math.log10(0.1 / Math.SQRT2), 3);
    expect(levelDb(new Float32Array(10))).toBe(Number.NEGATIVE_INFINITY);
    expect(levelDb(new Float32Array(0))).toBe(Number.NEGATIVE_INFINITY);
  });
});
