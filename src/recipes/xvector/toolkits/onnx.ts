import { type Toolkit, usualConvention } from "./toolkit.ts";

/** Any other model: the config's `model:` section describes it; what it leaves out is Kaldi's fbank of 80 bins. */
export const onnx: Toolkit = {
  convention: { ...usualConvention, frontendOptions: { num_mel_bins: 80 } },
};
