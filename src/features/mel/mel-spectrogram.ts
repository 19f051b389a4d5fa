import { checkSamples } from "../check-samples.ts";
import type { FeatureMatrix } from "../feature-matrix.ts";
import { remember } from "../remember.ts";
import { makeMelFilters } from "./mel-filters.ts";
import { type CheckedMel, checkMelOptions, type MelOptions } from "./mel-options.ts";
import { makeSpectralFrames } from "./spectral-frames.ts";

/**
 * A mel spectrogram as `librosa.feature.melspectrogram` and torchaudio's `MelSpectrogram` compute it, but with one row
 * per frame. Samples are from -1 to 1. For decibels see {@link powerToDb}.
 */
export function melSpectrogram(samples: Float32Array, options: MelOptions = {}): FeatureMatrix {
  checkSamples("melSpectrogram", samples);
  return melFramesFor(checkMelOptions("melSpectrogram", options))(samples);
}

/** The frames of one set of options, created once. */
export const melFramesFor: (options: CheckedMel) => (samples: Float32Array) => FeatureMatrix = remember(
  (options: CheckedMel) => makeSpectralFrames(options, makeMelFilters(options)),
);
