import { sampleRange } from "millrace/speech";
import { describe, expect, it } from "vitest";

describe("sampleRange", () => {
  it.each([1, 2, 15, 16, 17, 8191, 8192, 8193, 50_000])(
    "finds both ends of %i samples, wherever they are",
    (length) => {
      for (const at of new Set([0, length >> 1, length - 1])) {
        const low = new Float32Array(length).fill(0.25);
        low[at] = -0.5;
        expect(sampleRange(low)).toEqual({ min: -0.5, max: length === 1 ? -0.5 : 0.25 });
        const high = new Float32Array(length).fill(-0.25);
        high[at] = 2;
        expect(sampleRange(high)).toEqual({ min: length === 1 ? 2 : -0.25, max: 2 });
      }
    },
  );

  it("looks at a view only, and at nothing that was there before", () => {
    sampleRange(Float32Array.of(-100, 100));
    const samples = Float32Array.of(-9, 0.5, 0.75, 9);
    expect(sampleRange(samples.subarray(1, 3))).toEqual({ min: 0.5, max: 0.75 });
  });

  it("has no ends for no samples, and says what is no number", () => {
    expect(sampleRange(new Float32Array(0))).toEqual({ min: Infinity, max: -Infinity });
    for (let at = 0; at < 40; at++) {
      const samples = new Float32Array(40);
      samples[at] = Number.NaN;
      expect(sampleRange(samples)).toEqual({ min: Number.NaN, max: Number.NaN });
    }
    expect(sampleRange(Float32Array.of(0, -Infinity))).toEqual({ min: -Infinity, max: 0 });
  });

  it("refuses what is no Float32Array", () => {
    expect(() => sampleRange([1, 2] as unknown as Float32Array)).toThrow("not a Float32Array");
  });
});
