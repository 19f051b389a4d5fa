import { type Toolkit, usualConvention } from "./toolkit.ts";

/** WeSpeaker: Kaldi filterbanks of 80 bins under a Hamming window without dither, the mean of the utterance removed. */
export const wespeaker: Toolkit = {
  convention: {
    ...usualConvention,
    frontendOptions: { num_mel_bins: 80, window_type: "hamming", dither: 0 },
    cmvn: "mean",
    // Its networks halve the time axis three times.
    minFrames: 8,
  },
};
