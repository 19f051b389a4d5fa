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
  // The frames that each layer and those before it take away.
  const taken: number[] = [];
  for (const { kernel, dilation, padding } of layers)
    taken.push((taken.at(-1) ?? 0) + (kernel - 1) * dilation - 2 * padding);
  return {
    outputs,
    minFrames: 1 + Math.max(0, ...taken),
    lengthens: taken.at(-1)! < 0,
    build: (module, feats) =>
      layers.reduce((x, layer, at) => {
        const conv = module.in("layers").in(3 * at);
        return batchNorm(module.in("layers").in(3 * at + 2), relu(conv, conv1d(conv, x, layer)), layer.outputs);
      }, feats),
  };
}
