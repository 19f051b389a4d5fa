import { type Shape, shape } from "../../../index.ts";
import { maybe } from "../../maybe.ts";

/** Which features are computed, and the format of their files. */
export interface FeaturesSection {
  /** Default: `fbank`. */
  readonly type?: "fbank" | "mfcc" | "none" | null | undefined;
  /** Kaldi's options by Kaldi's names: `num_mel_bins: 80`. */
  readonly options?: Readonly<Record<string, unknown>> | null | undefined;
  /** Normalises each utterance by its own mean, or mean and variance. Default: `none`. */
  readonly cmvn?: "none" | "mean" | "mean_var" | null | undefined;
  /** One archive per shard (default), or one npy file per utterance. */
  readonly format?: "ark" | "npy" | null | undefined;
}

export const featuresSection: Shape<FeaturesSection> = shape.object({
  type: maybe(shape.oneOf(["fbank", "mfcc", "none"])),
  options: maybe(shape.map(shape.any())),
  cmvn: maybe(shape.oneOf(["none", "mean", "mean_var"])),
  format: maybe(shape.oneOf(["ark", "npy"])),
});
