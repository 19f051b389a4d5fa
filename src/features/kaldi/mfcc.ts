import { checkSamples } from "../check-samples.ts";
import { makeDct, multiplyRows } from "../dct.ts";
import type { FeatureMatrix } from "../feature-matrix.ts";
import { subtractMean } from "../normalise/subtract-mean.ts";
import { remember, rememberFrozen } from "../remember.ts";
import { makeKaldiFrames } from "./kaldi-frames.ts";
import { type CheckedMfcc, checkMfccOptions, type MfccOptions } from "./kaldi-options.ts";

/**
 * Cepstra as Kaldi's `compute-mfcc-feats` and torchaudio's `compliance.kaldi.mfcc` compute them: one row per frame,
 * `numCeps` columns. Samples shorter than a frame give no rows. A NaN in the samples makes every frame that contains it
 * NaN.
 */
export function mfcc(samples: Float32Array, options: MfccOptions = {}): FeatureMatrix {
  checkSamples("mfcc", samples);
  return extractorOf(options)(samples);
}

const extractorOf = rememberFrozen((options: MfccOptions) => extractorFor(checkMfccOptions(options)));

const extractorFor = remember((options: CheckedMfcc): ((samples: Float32Array) => FeatureMatrix) => {
  const { numCeps, numMelBins, useEnergy } = options;
  const frames = makeKaldiFrames(options, {
    energy: useEnergy ? (options.rawEnergy ? "raw" : "windowed") : "none",
    spectrum: "power",
    log: true,
    columns: numMelBins,
    firstColumn: 0,
  });
  const transform = makeLifteredDct(options);
  return (samples) => {
    const { matrix, logEnergies } = frames(samples);
    const cepstra = multiplyRows(matrix, transform, numCeps);
    logEnergies?.forEach((energy, row) => {
      cepstra.data[row * numCeps] = energy;
    });
    if (options.htkCompat) moveEnergyLast(cepstra, useEnergy);
    return options.subtractMean ? subtractMean(cepstra) : cepstra;
  };
});

function makeLifteredDct({ numCeps, numMelBins, cepstralLifter }: CheckedMfcc): Float64Array {
  const transform = makeDct(numCeps, numMelBins, "ortho");
  if (cepstralLifter === 0) return transform;
  return transform.map((value, i) => {
    const k = Math.floor(i / numMelBins);
    return value * (1 + 0.5 * cepstralLifter * Math.sin((Math.PI * k) / cepstralLifter));
  });
}

/** HTK's order. Its zeroth cepstrum is larger by the square root of two. */
function moveEnergyLast({ data, rows, columns }: FeatureMatrix, isEnergy: boolean): void {
  for (let row = 0; row < rows; row++) {
    const from = row * columns;
    const first = data[from]!;
    data.copyWithin(from, from + 1, from + columns);
    data[from + columns - 1] = isEnergy ? first : first * Math.SQRT2;
  }
}
