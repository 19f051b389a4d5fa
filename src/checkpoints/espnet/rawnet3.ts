import type { Value } from "../../models/onnx/graph-builder.ts";
import { relu, sigmoid } from "../layers/activation.ts";
import { conv1d, linear } from "../layers/convolution.ts";
import { batchNorm } from "../layers/normalisation.ts";
import { concatChannels, dropTime, meanOverTime } from "../layers/pooling.ts";
import type { Module } from "../module.ts";
import type { Settings } from "../settings.ts";
import type { Encoder } from "./parts.ts";
import { type GroupConvolution, readScale, res2Convs } from "./res2-convs.ts";

/** ESPnet's RawNet3Encoder. */
export function readRawnet3(settings: Settings, inputs: number): Encoder {
  const scale = readScale(settings);
  const channels = settings.count("ndim", 1024);
  const outputs = settings.count("output_size", 1536);
  settings.require("block", "Bottle2neck", "only this block is known");
  settings.finish();
  return {
    outputs,
    // Five frames become one, and three of these one.
    minFrames: 15,
    build: (module, feats) => rawnet3(module, feats, { inputs, channels, scale, outputs }),
  };
}

interface RawnetSize {
  readonly inputs: number;
  readonly channels: number;
  readonly scale: number;
  readonly outputs: number;
}

/** The layers of RawNet3 between its front end and its pooling. */
export function rawnet3(module: Module, x: Value, { inputs, channels, scale, outputs }: RawnetSize): Value {
  const size = { channels, scale };
  const first = block(module.in("layer1"), x, { ...size, inputs, dilation: 2, pool: 5 });
  const second = block(module.in("layer2"), first, { ...size, inputs: channels, dilation: 3, pool: 3 });
  const shorter = maxPool(module, first, 3);
  const joined = module.op("Add", [shorter, second]);
  const third = block(module.in("layer3"), joined, { ...size, inputs: channels, dilation: 4 });
  const all = concatChannels(module, [shorter, second, third]);
  return relu(module, conv1d(module.in("layer4"), all, { inputs: 3 * channels, outputs }));
}

interface Block {
  readonly inputs: number;
  readonly channels: number;
  readonly scale: number;
  readonly dilation: number;
  readonly pool?: number;
}

function block(module: Module, x: Value, { inputs, channels, scale, dilation, pool }: Block): Value {
  const residual =
    inputs === channels ? x : conv1d(module.in("residual.0"), x, { inputs, outputs: channels, bias: false });
  const inner = res2Convs(module, x, { inputs, channels, scale, convolve: dilated(dilation) });
  const sum = module.op("Add", [inner, residual]);
  return scaleFeatureMap(module.in("afms"), pool === undefined ? sum : maxPool(module, sum, pool), channels);
}

/** Convolutions of kernel 3, each followed by its own normalisation. */
export function dilated(dilation: number): GroupConvolution {
  return (module, x, { at, width }) => {
    const size = { inputs: width, outputs: width, kernel: 3, dilation, padding: dilation };
    return batchNorm(module.in("bns").in(at), relu(module, conv1d(module.in("convs").in(at), x, size)), width);
  };
}

/** Shifts each channel by a trained number, and scales it by a function of its mean. */
function scaleFeatureMap(module: Module, x: Value, channels: number): Value {
  const mean = dropTime(module, meanOverTime(module, x));
  const weights = sigmoid(module, linear(module.in("fc"), mean, { inputs: channels, outputs: channels }));
  const shifted = module.op("Add", [x, module.weight("alpha", [channels, 1])]);
  return module.op("Mul", [shifted, module.op("Unsqueeze", [weights, module.graph.integers(2)])]);
}

function maxPool(module: Module, x: Value, size: number): Value {
  return module.op("MaxPool", [x], { kernel_shape: [BigInt(size)], strides: [BigInt(size)] });
}
