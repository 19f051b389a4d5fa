import { relu } from "../layers/activation.ts";
import { conv1d } from "../layers/convolution.ts";
import { batchNorm } from "../layers/normalisation.ts";
import type { Settings } from "../settings.ts";
import type { Encoder } from "./parts.ts";

/** ESPnet's XvectorEncoder. */
export function readXvectorEncoder(settings: Settings, inputs: number): Encoder {
  const channels = settings.count("ndim", 512);
  const outputs = settings.count("output_size", 1500);
  const kernels = settings.counts("kernel_sizes", [5, 3, 3, 1, 1]);
  const paddings = settings.wholes("paddings", [2, 1, 1, 0, 0]);
  const dilations = settings.counts("dilations", [1, 2, 3, 1, 1]);
  settings.finish();
  if ([kernels, paddings, dilations].some(({ length }) => length < 5))
    throw settings.refuse("kernel_sizes, paddings and dilations need five numbers each");
  const sizes = [inputs, channels, channels, channels, channels, outputs];
  const layers = [0, 1, 2, 3, 4].map((at) => ({
    inputs: sizes[at]!,
    outputs: sizes[at + 1]!,
    kernel: kernels[at]!,
    padding: paddings[at]!,
    dilation: dilations[at]!,
  }));
  return {
    outputs,
    // The frames that the layers take away, and one.
    minFrames:
      1 + layers.reduce((sum, { kernel, dilation, padding }) => sum + (kernel - 1) * dilation - 2 * padding, 0),
    build: (module, feats) =>
      layers.reduce((x, layer, at) => {
        const conv = module.in("layers").in(3 * at);
        return batchNorm(module.in("layers").in(3 * at + 2), relu(conv, conv1d(conv, x, layer)), layer.outputs);
      }, feats),
  };
}
