import { describe, expect, it } from "vitest";
import { fbank } from "../../../src/features/kaldi/fbank.ts";
import { mfcc } from "../../../src/features/kaldi/mfcc.ts";
import { energyVad } from "../../../src/features/vad/energy-vad.ts";
import { frameLogEnergy } from "../../../src/features/vad/frame-log-energy.ts";
import { differences, testSignal } from "../../support/features/compare.ts";

const samples = testSignal(16_000);

describe("fbank", () => {
  it("takes samples of either range for the same sound", () => {
    const integers = samples.map((sample) => sample * 32_768);
    expect(fbank(integers, { sampleRange: "int16", useEnergy: true })).toEqual(fbank(samples, { useEnergy: true }));
  });

  it("moves by the logarithm of the gain's square, and by nothing else", () => {
    const loud = fbank(samples.map((sample) => 2 * sample));
    const quiet = fbank(samples);
    const moved = { ...quiet, data: quiet.data.map((value) => value + 2 * Math.log(2)) };
    expect(differences(loud, moved).max).toBeLessThan(1e-5);
  });

  it("gives the rows of a later start for samples that are shifted by whole frames", () => {
    const [all, later] = [fbank(samples), fbank(samples.slice(3 * 160))];
    expect(later.data).toEqual(all.data.subarray(3 * all.columns));
  });

  it.each([{}, { useEnergy: true }, { dither: 1 }, { subtractMean: true }])(
    "puts the same values into memory of the caller's own, whatever was in it: %j",
    (options) => {
      const room = new Float32Array(10_000).fill(Number.NaN);
      const matrix = fbank(samples, options, () => room);
      expect(matrix).toEqual(fbank(samples, options));
      if (!("subtractMean" in options)) expect(matrix.data.buffer).toBe(room.buffer);
    },
  );

  it.each([[new Float32Array(98 * 23 - 1)], [new Float64Array(98 * 23)], [undefined]])(
    "refuses memory that is too small, or is none: %#",
    (room) => {
      expect(() => fbank(samples, {}, () => room as never)).toThrow(/^fbank: allocate\(2254\) gave .*Float32Array/s);
    },
  );

  it("has the frames that Kaldi has", () => {
    const rows = (length: number, snipEdges: boolean) => fbank(new Float32Array(length), { snipEdges }).rows;
    expect([399, 400, 559, 560, 16_000].map((length) => rows(length, true))).toEqual([0, 1, 1, 2, 98]);
    expect([79, 80, 239, 240, 16_000].map((length) => rows(length, false))).toEqual([0, 1, 1, 2, 100]);
  });

  it("dithers the same way for the same seed, another way for another, and not at all by default", () => {
    const silence = new Float32Array(400 * 1100);
    const once = fbank(silence, { dither: 1 });
    expect(fbank(silence, { dither: 1 })).toEqual(once);
    expect(fbank(silence, { dither: 1, ditherSeed: 7 })).not.toEqual(once);
    expect(new Set(fbank(silence).data)).toEqual(new Set([Math.fround(Math.log(2 ** -23))]));
  });

  it("dithers with noise of the level that is asked for, without repeating it", () => {
    const silence = new Float32Array(400 * 1100);
    const { data, rows } = frameEnergies(silence, 4);
    // 400 samples with a standard deviation of 4, less the mean of each frame.
    const mean = data.reduce((sum, value) => sum + Math.exp(value), 0) / rows;
    expect(Math.abs(mean / (399 * 16) - 1)).toBeLessThan(0.02);
    expect(new Set(data).size).toBeGreaterThan(0.99 * rows);
  });

  it("keeps bins empty that lie between two of the transform, as torchaudio does", () => {
    const { data, columns } = fbank(samples, { numMelBins: 200 });
    expect(columns).toBe(200);
    expect(data.includes(Math.fround(Math.log(2 ** -23)))).toBe(true);
  });
});

function frameEnergies(silence: Float32Array, dither: number) {
  const { data, rows, columns } = fbank(silence, { dither, useEnergy: true });
  return { rows, data: Float32Array.from({ length: rows }, (_, row) => data[row * columns]!) };
}

describe("frameLogEnergy", () => {
  it("gives the energy that MFCC has in its first column", () => {
    const cepstra = mfcc(samples);
    const energies = frameLogEnergy(samples);
    const first = Float32Array.from({ length: cepstra.rows }, (_, row) => cepstra.data[row * cepstra.columns]!);
    expect(differences(energies, { data: first, rows: cepstra.rows, columns: 1 }).max).toBeLessThan(1e-5);
  });

  it("finds the speech between two silences", () => {
    const speech = new Float32Array(16_000);
    speech.set(testSignal(8000), 4000);
    const decisions = energyVad(frameLogEnergy(speech), { vadFramesContext: 2 });
    expect([decisions[5], decisions[50], decisions[95]]).toEqual([0, 1, 0]);
  });
});
