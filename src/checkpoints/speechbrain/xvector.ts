import type { Value } from "../../models/onnx/graph-builder.ts";
import { leakyRelu } from "../layers/activation.ts";
import { conv1d, linear, reflect } from "../layers/convolution.ts";
import { batchNorm } from "../layers/normalisation.ts";
import { concatChannels, dropTime, square, sumOverTime } from "../layers/pooling.ts";
import type { Module } from "../module.ts";
import type { Settings } from "../settings.ts";
import { readActivation } from "./activation-setting.ts";
import type { EmbeddingModel } from "./embedding-model.ts";
import { frameMask } from "./lengths.ts";

/** SpeechBrain's Xvector, with the settings of its constructor. */
export function readXvector(settings: Settings): EmbeddingModel {
  const activation = readActivation(settings, "activation", leakyRelu());
  const blocks = settings.count("tdnn_blocks", 5);
  const channels = settings.counts("tdnn_channels", [512, 512, 512, 512, 1500]);
  const kernels = settings.counts("tdnn_kernel_sizes", [5, 3, 3, 1, 1]);
  const dilations = settings.counts("tdnn_dilations", [1, 2, 3, 1, 1]);
  const outputs = settings.count("lin_neurons", 512);
  const inputs = settings.count("in_channels", 40);
  settings.ignore("device").finish();
  if ([channels, kernels, dilations].some(({ length }) => length < blocks))
    throw settings.refuse(
      `tdnn_channels, tdnn_kernel_sizes and tdnn_dilations need ${blocks} numbers, as tdnn_blocks says`,
    );
  const mirrored = (at: number) => Math.floor((dilations[at]! * (kernels[at]! - 1)) / 2);
  const layers = Array.from({ length: blocks }, (_, at) => at);
  return {
    architecture: "Xvector",
    inputs,
    outputs,
    // A deviation needs two.
    minFrames: Math.max(2, ...layers.map((at) => 1 + mirrored(at))),
    build(model, input) {
      let x = model.op("Transpose", [input.feats], { perm: [0n, 2n, 1n] });
      for (const at of layers) {
        const conv = model
          .in("blocks")
          .in(3 * at)
          .in("conv");
        const size = { inputs: channels[at - 1] ?? inputs, outputs: channels[at]! };
        const padded = reflect(conv, x, { before: mirrored(at), after: mirrored(at) });
        const y = conv1d(conv, padded, { ...size, kernel: kernels[at]!, dilation: dilations[at]! });
        x = batchNorm(
          model
            .in("blocks")
            .in(3 * at + 2)
            .in("norm"),
          activation(conv, y),
          size.outputs,
        );
      }
      const last = channels[blocks - 1]!;
      const pooled = statistics(model.in("blocks").in(3 * blocks), x, input.lengths);
      return linear(
        model
          .in("blocks")
          .in(3 * blocks + 1)
          .in("w"),
        pooled,
        { inputs: 2 * last, outputs },
      );
    },
  };
}

const epsilon = 1e-5;
// SpeechBrain adds noise between once and nine times epsilon to the mean, also when it is not training: this is its mean.
const meanNoise = 5 * epsilon;

/** Mean and deviation over the frames of an utterance. */
function statistics(module: Module, x: Value, lengths: Value): Value {
  const { graph } = module;
  const { mask, count } = frameMask(module, { x, timeAxis: 2, lengths }, (ends) => module.op("Round", [ends]));
  const mean = module.op("Div", [sumOverTime(module, module.op("Mul", [x, mask])), count]);
  const squares = module.op("Mul", [square(module, module.op("Sub", [x, mean])), mask]);
  const others = module.op("Sub", [count, graph.number(1)]);
  const deviation = module.op("Sqrt", [module.op("Div", [sumOverTime(module, squares), others])]);
  const both = [
    module.op("Add", [mean, graph.number(meanNoise)]),
    module.op("Add", [deviation, graph.number(epsilon)]),
  ];
  return dropTime(module, concatChannels(module, both));
}
