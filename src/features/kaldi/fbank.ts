import { type Allocate, checkAllocate } from "../../values/check-allocate.ts";
import { checkSamples } from "../check-samples.ts";
import type { FeatureMatrix } from "../feature-matrix.ts";
import { subtractMean } from "../normalise/subtract-mean.ts";
import { remember, rememberFrozen } from "../remember.ts";
import { makeKaldiFrames } from "./kaldi-frames.ts";
import { type CheckedFbank, checkFbankOptions, type FbankOptions } from "./kaldi-options.ts";

/**
 * Mel filterbank energies as Kaldi's `compute-fbank-feats` and torchaudio's `compliance.kaldi.fbank` compute them: one
 * row per frame, `numMelBins` columns and one more with `useEnergy`. Samples shorter than a frame give no rows. A NaN
 * in the samples makes every frame that contains it NaN. The result is written to the array that `allocate(length)`
 * returns, by default a new one: reusing memory for many utterances avoids almost all garbage collection.
 */
export function fbank(
  samples: Float32Array,
  options: FbankOptions = {},
  allocate?: (length: number) => Float32Array,
): FeatureMatrix {
  checkSamples("fbank", samples);
  return extractorOf(options)(samples, checkAllocate("fbank", allocate));
}

type Extract = (samples: Float32Array, allocate: Allocate | undefined) => FeatureMatrix;

const extractorOf = rememberFrozen((options: FbankOptions) => extractorFor(checkFbankOptions(options)));

const extractorFor = remember((options: CheckedFbank): Extract => {
  const { useEnergy, htkCompat, numMelBins } = options;
  const columns = numMelBins + (useEnergy ? 1 : 0);
  const frames = makeKaldiFrames(options, {
    energy: useEnergy ? (options.rawEnergy ? "raw" : "windowed") : "none",
    spectrum: options.usePower ? "power" : "magnitude",
    log: options.useLogFbank,
    columns,
    firstColumn: useEnergy && !htkCompat ? 1 : 0,
  });
  return (samples, allocate) => {
    const { matrix, logEnergies } = frames(samples, allocate);
    const energyColumn = htkCompat ? numMelBins : 0;
    logEnergies?.forEach((energy, row) => {
      matrix.data[row * columns + energyColumn] = energy;
    });
    return options.subtractMean ? subtractMean(matrix) : matrix;
  };
});
