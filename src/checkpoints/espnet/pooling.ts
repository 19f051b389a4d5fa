import type { Value } from "../../models/onnx/graph-builder.ts";
import { relu } from "../layers/activation.ts";
import { conv1d, convOfParts } from "../layers/convolution.ts";
import { batchNorm } from "../layers/normalisation.ts";
import { concatChannels, deviation, dropTime, square, sumOverTime, weightedStatistics } from "../layers/pooling.ts";
import type { Module } from "../module.ts";
import type { Settings } from "../settings.ts";
import type { Pooling } from "./parts.ts";

// The distance from 1 to the next float32, the bound that PyTorch calls eps.
const epsilon = 2 ** -23;
const maxVariance = 1e4;

/** ESPnet's MeanPooling. */
export function readMeanPooling(settings: Settings, inputs: number): Pooling {
  refuseMasking(settings);
  return {
    outputs: inputs,
    build: (module, { frames, count }) => dropTime(module, module.op("Div", [sumOverTime(module, frames), count])),
  };
}

/** ESPnet's StatsPooling. */
export function readStatsPooling(settings: Settings, inputs: number): Pooling {
  refuseMasking(settings);
  return {
    outputs: 2 * inputs,
    build(module, { frames, count }) {
      const mean = module.op("Div", [sumOverTime(module, frames), count]);
      const squares = square(module, module.op("Sub", [frames, mean]));
      const variance = module.op("Div", [sumOverTime(module, squares), count]);
      return dropTime(module, concatChannels(module, [mean, deviation(module, variance, epsilon, maxVariance)]));
    },
  };
}

/** ESPnet's ChnAttnStatPooling. */
export function readAttentivePooling(settings: Settings, inputs: number): Pooling {
  const hidden = settings.count("hidden_size", 128);
  refuseMasking(settings);
  return {
    outputs: 2 * inputs,
    build(module, { frames, count }) {
      const mean = module.op("Div", [sumOverTime(module, frames), count]);
      const squares = module.op("Div", [sumOverTime(module, square(module, frames)), count]);
      const variance = module.op("Sub", [squares, square(module, mean)]);
      const context = [frames, mean, deviation(module, variance, epsilon, maxVariance)];
      return attentiveStatistics(module.in("attention"), context, { channels: inputs, hidden });
    },
  };
}

// Batches of padded audio are not made for these models, but the setting exists.
function refuseMasking(settings: Settings): void {
  settings.require("use_masking", false, "the frames would be counted in another way");
  settings.finish();
}

/** Statistics with weights for every frame and channel, which depend on the frame, the mean and the deviation of all. */
export function attentiveStatistics(
  module: Module,
  context: readonly Value[],
  { channels, hidden }: { readonly channels: number; readonly hidden: number },
): Value {
  const mixed = relu(module, convOfParts(module.in(0), context, { channels, outputs: hidden }));
  const normal = batchNorm(module.in(2), mixed, hidden);
  const scores = conv1d(module.in(3), normal, { inputs: hidden, outputs: channels });
  return dropTime(module, weightedStatistics(module, { x: context[0]!, scores }, { min: 1e-4, max: maxVariance }));
}
