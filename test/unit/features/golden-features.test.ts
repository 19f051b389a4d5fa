// The same features by their definitions in NumPy: scripts/golden/features.py wrote these files.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { addDeltas } from "../../../src/features/add-deltas.ts";
import type { FeatureMatrix } from "../../../src/features/feature-matrix.ts";
import { fbank } from "../../../src/features/kaldi/fbank.ts";
import { mfcc } from "../../../src/features/kaldi/mfcc.ts";
import { melMfcc } from "../../../src/features/mel/mel-mfcc.ts";
import { melSpectrogram } from "../../../src/features/mel/mel-spectrogram.ts";
import { speechbrainFbank } from "../../../src/features/mel/speechbrain-fbank.ts";
import { cmvn } from "../../../src/features/normalise/cmvn.ts";
import { slidingCmvn } from "../../../src/features/normalise/sliding-cmvn.ts";
import { energyVad } from "../../../src/features/vad/energy-vad.ts";
import { differences } from "../../support/features/compare.ts";

interface GoldenCase {
  readonly options: Record<string, unknown>;
  readonly rows: number;
  readonly columns: number;
  readonly values: readonly number[];
}

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../golden/features/${name}.json`, import.meta.url), "utf8")) as unknown;
const input = read("input") as { rate: number; samples: number[]; matrix: number[][] };
const samples = Float32Array.from(input.samples, (sample) => sample / 32_768);
const matrix: FeatureMatrix = {
  data: Float32Array.from(input.matrix.flat()),
  rows: input.matrix.length,
  columns: input.matrix[0]!.length,
};

/** How each is called, and how far from float64 it may be, as a share of the largest value. */
const functions: Record<string, { tolerance: number; call: (options: object) => FeatureMatrix }> = {
  fbank: { tolerance: 1e-5, call: (options) => fbank(samples, { sampleFrequency: input.rate, ...options }) },
  mfcc: { tolerance: 1e-5, call: (options) => mfcc(samples, { sampleFrequency: input.rate, ...options }) },
  melSpectrogram: {
    tolerance: 1e-6,
    call: (options) => melSpectrogram(samples, { sampleRate: input.rate, ...options }),
  },
  melMfcc: { tolerance: 2e-6, call: (options) => melMfcc(samples, { sampleRate: input.rate, ...options }) },
  speechbrainFbank: {
    tolerance: 1e-5,
    call: (options) => speechbrainFbank(samples, { sampleRate: input.rate, ...options }),
  },
  cmvn: { tolerance: 1e-6, call: (options) => cmvn(matrix, options) },
  slidingCmvn: { tolerance: 1e-6, call: (options) => slidingCmvn(matrix, options) },
  addDeltas: { tolerance: 1e-6, call: (options) => addDeltas(matrix, options) },
  energyVad: {
    tolerance: 0,
    call: (options) => ({ data: Float32Array.from(energyVad(matrix, options)), rows: matrix.rows, columns: 1 }),
  },
};

describe.each(Object.keys(functions))("%s", (name) => {
  const cases = (read(name) as GoldenCase[]).map((golden) => ({ golden, what: JSON.stringify(golden.options) }));

  it.each(cases)("gives what its definition says with $what", ({ golden }) => {
    const { tolerance, call } = functions[name]!;
    const theirs = { data: Float32Array.from(golden.values), rows: golden.rows, columns: golden.columns };
    const largest = Math.max(...theirs.data.map(Math.abs));
    expect(differences(call(golden.options), theirs).max).toBeLessThanOrEqual(tolerance * largest);
  });

  it("takes its options as the toolkits write them too", () => {
    const { golden } = cases.at(-1)!;
    const snake = Object.entries(golden.options).map(([key, value]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]);
    const { call } = functions[name]!;
    expect(call(Object.fromEntries(snake))).toEqual(call(golden.options));
  });
});
