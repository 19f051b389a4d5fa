import { type Toolkit, usualConvention } from "./toolkit.ts";

/** WeSpeaker: Kaldi filterbanks with 80 bins and a Hamming window, without dither, minus the mean of the utterance. */
export const wespeaker: Toolkit = {
  convention: {
    ...usualConvention,
    frontendOptions: { num_mel_bins: 80, window_type: "hamming", dither: 0 },
    cmvn: "mean",
    // Its networks halve the time axis three times.
    minFrames: 8,
  },
};
