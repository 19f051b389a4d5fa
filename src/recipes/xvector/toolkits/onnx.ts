import { type Toolkit, usualConvention } from "./toolkit.ts";

/** Any other model: the config's `model:` section describes it; the default is Kaldi's fbank with 80 bins. */
export const onnx: Toolkit = {
  convention: { ...usualConvention, frontendOptions: { num_mel_bins: 80 } },
};
