import { type Toolkit, usualConvention } from "./toolkit.ts";

/** The number of cepstra of the built-in model. It ignores the first, which is the level. */
export const builtinCepstra = 24;

/** The model that is always available: statistics of MFCCs over time. A baseline, not a trained model. */
export const builtin: Toolkit = {
  convention: {
    ...usualConvention,
    frontend: "mfcc",
    frontendOptions: {
      num_ceps: builtinCepstra,
      num_mel_bins: 40,
      low_freq: 20,
      high_freq: 7600,
      cepstral_lifter: 22,
      use_energy: false,
    },
    layout: "time_major",
    // A deviation needs more than a few frames.
    minFrames: 20,
  },
};
