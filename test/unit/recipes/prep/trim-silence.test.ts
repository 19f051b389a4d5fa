import { describe, expect, it } from "vitest";
import { trimSilence } from "../../../../src/recipes/prep/clean/trim-silence.ts";

/** A tone between two stretches of faint noise. */
function tone(sampleRate: number, [before, during, after]: readonly [number, number, number], amplitude = 0.3) {
  const total = before + during + after;
  return Float32Array.from({ length: Math.round(total * sampleRate) }, (_, i) => {
    const t = i / sampleRate;
    const noise = 1e-4 * Math.sin(i * i);
    return t >= before && t < before + during ? amplitude * Math.sin(2 * Math.PI * 200 * t) : noise;
  });
}

describe("trimming", () => {
  it.each([8000, 16_000, 22_050, 48_000])("finds a sound between silences at %d Hz", (sampleRate) => {
    const { start, end } = trimSilence(tone(sampleRate, [0.5, 1, 0.7]), sampleRate)!;
    expect(start / sampleRate).toBeGreaterThan(0.3);
    expect(start / sampleRate).toBeLessThanOrEqual(0.5);
    expect(end / sampleRate).toBeGreaterThanOrEqual(1.5);
    expect(end / sampleRate).toBeLessThan(1.7);
  });

  it("keeps the pause within", () => {
    const samples = Float32Array.of(...tone(16_000, [0.3, 0.4, 0.5]), ...tone(16_000, [0.5, 0.4, 0.3]));
    const { start, end } = trimSilence(samples, 16_000)!;
    expect((end - start) / 16_000).toBeGreaterThan(1.8);
  });

  it("leaves as much around the sound as is asked for", () => {
    const samples = tone(16_000, [1, 1, 1]);
    const narrow = trimSilence(samples, 16_000, { pad_ms: 0 })!;
    const wide = trimSilence(samples, 16_000, { pad_ms: 300 })!;
    expect(narrow.start - wide.start).toBe(4800);
    expect(wide.end - narrow.end).toBe(4800);
  });

  it.each([
    ["nothing", new Float32Array(0)],
    ["less than a frame", new Float32Array(100).fill(0.5)],
    ["zeros", new Float32Array(16_000)],
    ["a constant", new Float32Array(16_000).fill(0.5)],
    ["a click", Float32Array.from({ length: 16_000 }, (_, i) => (i === 8000 ? 1 : 0))],
  ])("finds no speech in %s", (_what, samples) => {
    expect(trimSilence(samples, 16_000)).toBeUndefined();
  });
});
