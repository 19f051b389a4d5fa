import { type Toolkit, usualConvention } from "./toolkit.ts";

/**
 * SpeechBrain's ECAPA-TDNN and x-vector models: its Fbank with 80 bins, minus the mean of the sentence. An exported
 * `embedding_model` returns [batch, 1, dimension] and may take the relative lengths as a second input.
 */
export const speechbrain: Toolkit = {
  defaultModel: "speechbrain/spkrec-ecapa-voxceleb",
  convention: {
    ...usualConvention,
    frontend: "speechbrain_fbank",
    frontendOptions: { n_mels: 80 },
    cmvn: "mean",
    // The widest of its convolutions mirrors four frames at either end.
    minFrames: 5,
  },
};
