import type { Value } from "../../models/onnx/graph-builder.ts";
import { relu, sigmoid } from "../layers/activation.ts";
import { conv1d, conv2d, linear } from "../layers/convolution.ts";
import { batchNorm } from "../layers/normalisation.ts";
import { dropTime, weightedStatistics } from "../layers/pooling.ts";
import type { Module } from "../module.ts";
import type { Settings } from "../settings.ts";
import { readActivation } from "./activation-setting.ts";
import type { EmbeddingModel } from "./embedding-model.ts";

/** SpeechBrain's ResNet, with the settings of its constructor. It does not use the lengths. */
export function readResnet(settings: Settings): EmbeddingModel {
  const inputs = settings.count("input_size", 80);
  const activation = readActivation(settings, "activation", relu);
  const channels = settings.counts("channels", [128, 128, 256, 256]);
  const sizes = settings.counts("block_sizes", [3, 4, 6, 3]);
  const strides = settings.counts("strides", [1, 2, 2, 2]);
  const outputs = settings.count("lin_neurons", 256);
  settings.ignore("device").finish();
  if ([channels, sizes, strides].some(({ length }) => length !== 4))
    throw settings.refuse("channels, block_sizes and strides need four numbers each");
  return {
    architecture: "ResNet",
    inputs,
    outputs,
    minFrames: 1,
    build(model, { feats }) {
      const first = channels[0]!;
      let x = model.op("Unsqueeze", [feats, model.graph.integers(1)]);
      x = conv2d(model.in("conv1"), x, { inputs: 1, outputs: first, kernel: 3, bias: false });
      x = activation(model, batchNorm(model.in("bn1"), x, first));
      for (const [at, count] of sizes.entries()) {
        for (let block = 0; block < count; block++) {
          const from = block > 0 ? channels[at]! : (channels[at - 1] ?? first);
          const stride = block > 0 ? 1 : strides[at]!;
          const options = { inputs: from, outputs: channels[at]!, stride, hasSqueeze: at < 2 };
          x = basicBlock(model.in(`layer${at + 1}`).in(block), x, options);
        }
      }
      const bands = Math.ceil(inputs / strides.reduce((product, stride) => product * stride, 1));
      return pool(model, x, { channels: channels[3]! * bands, outputs });
    },
  };
}

interface Block {
  readonly inputs: number;
  readonly outputs: number;
  readonly stride: number;
  readonly hasSqueeze: boolean;
}

/** Normalisation and activation come before each convolution. */
function basicBlock(module: Module, x: Value, { inputs, outputs, stride, hasSqueeze }: Block): Value {
  const strides = [stride, stride] as const;
  const before = (name: string, y: Value, channels: number) => relu(module, batchNorm(module.in(name), y, channels));
  let y = before("bn1", x, inputs);
  y = conv2d(module.in("conv1"), y, { inputs, outputs, kernel: 3, strides, bias: false });
  y = before("bn2", y, outputs);
  y = conv2d(module.in("conv2"), y, { inputs: outputs, outputs, kernel: 3, bias: false });
  y = before("bn3", y, outputs);
  y = conv2d(module.in("conv3"), y, { inputs: outputs, outputs, kernel: 1, bias: false });
  if (hasSqueeze) y = squeezeExcite(module.in("se"), y, outputs);
  if (stride === 1 && inputs === outputs) return module.op("Add", [y, x]);
  const shorter = conv2d(module.in("downsample.0"), x, { inputs, outputs, kernel: 1, strides, bias: false });
  return module.op("Add", [y, batchNorm(module.in("downsample.1"), shorter, outputs)]);
}

function squeezeExcite(module: Module, x: Value, channels: number): Value {
  const { graph } = module;
  const mean = module.op("ReduceMean", [x], { axes: [2n, 3n], keepdims: 0n });
  const size = { inputs: channels, outputs: channels };
  const inner = relu(module, linear(module.in("fc.0"), mean, size));
  const weights = sigmoid(module, linear(module.in("fc.2"), inner, size));
  return module.op("Mul", [x, module.op("Unsqueeze", [weights, graph.integers(2, 3)])]);
}

const attentionChannels = 128;

function pool(model: Module, x: Value, { channels, outputs }: { channels: number; outputs: number }): Value {
  // [batch, channel, time, band] becomes [batch, channel and band, time].
  const bandsFirst = model.op("Transpose", [x], { perm: [0n, 1n, 3n, 2n] });
  const frames = model.op("Reshape", [
    bandsFirst,
    model.op("Concat", [batchSize(model, x), model.graph.integers(channels, -1)], { axis: 0n }),
  ]);
  const attention = model.in("attention");
  let scores = conv1d(attention.in(0), frames, { inputs: channels, outputs: attentionChannels });
  scores = batchNorm(attention.in(2), relu(attention, scores), attentionChannels);
  scores = conv1d(attention.in(3), scores, { inputs: attentionChannels, outputs: channels });
  const pooled = weightedStatistics(model, { x: frames, scores }, { min: 1e-5 });
  const normal = dropTime(model, batchNorm(model.in("norm_stats"), pooled, 2 * channels));
  const embedded = linear(model.in("fc_embed"), normal, { inputs: 2 * channels, outputs });
  return batchNorm(model.in("norm_embed"), embedded, outputs);
}

function batchSize(model: Module, x: Value): Value {
  return model.op("Gather", [model.op("Shape", [x]), model.graph.integers(0)], { axis: 0n });
}
