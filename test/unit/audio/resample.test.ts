import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resample } from "../../../src/audio/resample.ts";
import { seededRandom } from "../../support/seeded-random.ts";

const tone = (frequency: number, rate: number, frames: number) =>
  Float32Array.from({ length: frames }, (_, i) => Math.sin((2 * Math.PI * frequency * i) / rate));
const noise = (frames: number, seed = 1) => {
  const random = seededRandom(seed);
  return Float32Array.from({ length: frames }, () => random() - 0.5);
};
const decibels = (samples: Float32Array) =>
  10 * Math.log10(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);

/** The definition, one output sample at a time, as torchaudio's documentation gives it. */
function resampleByDefinition(samples: Float32Array, from: number, to: number): Float32Array {
  const [width, rolloff] = [6, 0.99];
  const cutoff = Math.min(from, to) * rolloff;
  return Float32Array.from({ length: Math.ceil((samples.length * to) / from) }, (_, index) => {
    let sum = 0;
    for (let i = 0; i < samples.length; i++) {
      const time = (i / from - index / to) * cutoff;
      if (Math.abs(time) >= width) continue;
      const sinc = time === 0 ? 1 : Math.sin(Math.PI * time) / (Math.PI * time);
      sum += samples[i]! * sinc * Math.cos((time * Math.PI) / width / 2) ** 2 * (cutoff / from);
    }
    return sum;
  });
}

describe("resample", () => {
  const rates = fc.constantFrom(8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000);

  it("is what its definition says, for every pair of rates and every length", () => {
    fc.assert(
      fc.property(rates, rates, fc.integer({ min: 1, max: 700 }), fc.nat(), (from, to, frames, seed) => {
        const samples = noise(frames, seed);
        const [found, expected] = [resample(samples, from, to), resampleByDefinition(samples, from, to)];
        expect(found.length).toBe(expected.length);
        if (from !== to) expect(largestDifference(found, expected)).toBeLessThan(1e-6);
      }),
      { numRuns: 60 },
    );
  });

  it("is the same for rates whose filters are too many to keep", () => {
    const samples = noise(300);
    const found = resample(samples, 999_983, 999_979);
    const expected = resampleByDefinition(samples, 999_983, 999_979);
    expect(largestDifference(found, expected)).toBeLessThan(1e-6);
  });

  it("returns samples of the right rate as they are", () => {
    const samples = noise(10);
    expect(resample(samples, 16_000, 16_000)).toBe(samples);
  });

  it.each([
    ["standard", -60],
    ["best", -120],
  ] as const)("keeps a tone that both rates can hold: %s", (quality, limit) => {
    const found = resample(tone(1000, 44_100, 44_100), 44_100, 16_000, { quality });
    const expected = tone(1000, 16_000, 16_000);
    const error = found.map((sample, i) => sample - expected[i]!).slice(1000, -1000);
    expect(decibels(error) - decibels(expected)).toBeLessThan(limit);
  });

  it.each([
    ["standard", -40],
    ["best", -100],
  ] as const)("takes out what the lower rate cannot hold: %s", (quality, limit) => {
    const found = resample(tone(10_000, 48_000, 48_000), 48_000, 16_000, { quality });
    expect(decibels(found.slice(1000, -1000))).toBeLessThan(limit);
  });

  it("refuses rates that are none", () => {
    for (const [from, to] of [
      [0, 1],
      [1, 0],
      [1.5, 3],
      [Number.NaN, 1],
    ] as const) {
      expect(() => resample(noise(1), from, to)).toThrow("cannot resample from");
    }
  });
});

function largestDifference(a: Float32Array, b: Float32Array): number {
  return a.reduce((most, sample, i) => Math.max(most, Math.abs(sample - b[i]!)), 0);
}
