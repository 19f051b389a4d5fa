import { describe, expect, it } from "vitest";
import { addDeltas } from "../../../src/features/add-deltas.ts";
import type { FeatureMatrix } from "../../../src/features/feature-matrix.ts";
import { fbank } from "../../../src/features/kaldi/fbank.ts";
import { mfcc } from "../../../src/features/kaldi/mfcc.ts";
import { melMfcc } from "../../../src/features/mel/mel-mfcc.ts";
import { melSpectrogram } from "../../../src/features/mel/mel-spectrogram.ts";
import { powerToDb } from "../../../src/features/mel/power-to-db.ts";
import { speechbrainFbank } from "../../../src/features/mel/speechbrain-fbank.ts";
import { cmvn } from "../../../src/features/normalise/cmvn.ts";
import { globalCmvn } from "../../../src/features/normalise/global-cmvn.ts";
import { slidingCmvn } from "../../../src/features/normalise/sliding-cmvn.ts";
import { energyVad } from "../../../src/features/vad/energy-vad.ts";
import { frameLogEnergy } from "../../../src/features/vad/frame-log-energy.ts";
import { testSignal } from "../../support/features/compare.ts";

const extractors: Record<string, (samples: Float32Array) => FeatureMatrix> = {
  fbank: (samples) => fbank(samples, { numMelBins: 40 }),
  "fbank without snipEdges": (samples) => fbank(samples, { snipEdges: false, useEnergy: true }),
  "fbank of any size": (samples) => fbank(samples, { sampleFrequency: 22_050, roundToPowerOfTwo: false }),
  mfcc: (samples) => mfcc(samples),
  melSpectrogram: (samples) => melSpectrogram(samples, { sampleRate: 16_000, nFft: 400, hopLength: 160, nMels: 40 }),
  "melSpectrogram, mirrored": (samples) => melSpectrogram(samples, { nFft: 512, nMels: 40, padMode: "reflect" }),
  melMfcc: (samples) => melMfcc(samples, { sampleRate: 16_000 }),
  speechbrainFbank: (samples) => speechbrainFbank(samples),
  frameLogEnergy: (samples) => frameLogEnergy(samples),
};

describe.each(Object.entries(extractors))("%s", (name, extract) => {
  it("gives no rows for no samples, and still knows its columns", () => {
    const { rows, columns, data } = extract(new Float32Array(0));
    expect({ rows, length: data.length }).toEqual({ rows: 0, length: 0 });
    expect(columns).toBe(extract(testSignal(8000)).columns);
  });

  it("gives finite features for a single sample, or none", () => {
    for (const length of [1, 2, 3, 79, 80, 81, 159, 199, 399, 400, 401]) {
      const { data } = extract(testSignal(length));
      expect(data.every(Number.isFinite)).toBe(true);
    }
  });

  it("gives finite features for silence, for full scale and for the smallest of numbers", () => {
    for (const value of [0, 1, -1, 1e-38, 1e-45]) {
      const { data, rows } = extract(new Float32Array(4000).fill(value));
      expect(rows).toBeGreaterThan(0);
      expect(data.every(Number.isFinite)).toBe(true);
    }
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])("does not hide a %s", (bad) => {
    const samples = testSignal(16_000);
    samples[8000] = bad;
    const { data, columns } = extract(samples);
    expect(data.every(Number.isFinite)).toBe(false);
    if (/melMfcc|speechbrain/.test(name)) return; // the loudest value of the utterance counts for all frames
    expect(data.subarray(0, 5 * columns).every(Number.isFinite)).toBe(true);
    expect(data.subarray(-5 * columns).every(Number.isFinite)).toBe(true);
  });

  it("leaves the samples as they were", () => {
    const samples = testSignal(4000);
    extract(samples);
    expect(samples).toEqual(testSignal(4000));
  });

  it.each([
    ["a plain array", [0, 0.1]],
    ["16-bit integers", new Int16Array(400)],
    ["nothing", undefined],
  ])("refuses %s for samples, and says what to give", (_, samples) => {
    expect(() => extract(samples as unknown as Float32Array)).toThrow(
      expect.objectContaining({ code: "BAD_AUDIO", hint: expect.stringContaining("Float32Array") }),
    );
  });
});

describe("a NaN sample", () => {
  it("makes exactly those frames NaN that it is in", () => {
    const samples = testSignal(16_000);
    const clean = fbank(samples, { numMelBins: 20 });
    samples[8000] = Number.NaN;
    const { data, rows, columns } = fbank(samples, { numMelBins: 20 });
    for (let row = 0; row < rows; row++) {
      const holdsIt = row * 160 <= 8000 && 8000 < row * 160 + 400;
      const values = data.subarray(row * columns, (row + 1) * columns);
      if (holdsIt) expect(values.every(Number.isNaN)).toBe(true);
      else expect(values).toEqual(clean.data.subarray(row * columns, (row + 1) * columns));
    }
  });
});

describe("what works on features", () => {
  const steps: Record<string, (matrix: FeatureMatrix) => FeatureMatrix | Uint8Array> = {
    cmvn: (matrix) => cmvn(matrix, { normVars: true }),
    slidingCmvn: (matrix) => slidingCmvn(matrix, { normVars: true }),
    globalCmvn: (matrix) => globalCmvn(matrix, { sum: [1, 2], sumSquare: [3, 4], count: 5 }),
    addDeltas: (matrix) => addDeltas(matrix),
    powerToDb: (matrix) => powerToDb(matrix),
    energyVad: (matrix) => energyVad(matrix),
  };

  it.each(Object.entries(steps))("%s takes a matrix without rows, and one of a single constant row", (_, step) => {
    const data = (result: FeatureMatrix | Uint8Array) => (result instanceof Uint8Array ? result : result.data);
    expect(data(step({ data: new Float32Array(0), rows: 0, columns: 2 }))).toHaveLength(0);
    const single = data(step({ data: Float32Array.of(3, 3), rows: 1, columns: 2 }));
    expect([...single].every(Number.isFinite)).toBe(true);
  });

  it.each(Object.entries(steps))("%s refuses a matrix whose numbers do not fit its shape", (_, step) => {
    expect(() => step({ data: new Float32Array(5), rows: 2, columns: 2 })).toThrow(
      expect.objectContaining({ code: "BAD_OPTION", message: expect.stringContaining("2 x 2") }),
    );
  });
});
