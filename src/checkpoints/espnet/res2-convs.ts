import type { Value } from "../../models/onnx/graph-builder.ts";
import { relu, sigmoid } from "../layers/activation.ts";
import { conv1d } from "../layers/convolution.ts";
import { batchNorm } from "../layers/normalisation.ts";
import { concatChannels, meanOverTime } from "../layers/pooling.ts";
import type { Module } from "../module.ts";
import type { Settings } from "../settings.ts";

/** The convolution of group `at`, with what follows it. */
export type GroupConvolution = (
  module: Module,
  x: Value,
  group: { readonly at: number; readonly width: number },
) => Value;

export interface Res2Convs {
  readonly inputs: number;
  readonly channels: number;
  readonly scale: number;
  readonly convolve: GroupConvolution;
}

/** The number of groups. One alone would be put behind itself. */
export function readScale(settings: Settings): number {
  const scale = settings.count("model_scale", 8);
  if (scale === 1) throw settings.refuse("model_scale is 1, which ESPnet cannot run");
  return scale;
}

/**
 * The inner part of the blocks of RawNet3, ECAPA-TDNN and SKA-TDNN: between two convolutions of kernel 1, groups of
 * channels are convolved one after the other, each together with the result before it. The last group stays as it is.
 */
export function res2Convs(module: Module, x: Value, { inputs, channels, scale, convolve }: Res2Convs): Value {
  const width = Math.floor(channels / scale);
  const inner = width * scale;
  const first = relu(module, conv1d(module.in("conv1"), x, { inputs, outputs: inner }));
  const normal = batchNorm(module.in("bn1"), first, inner);
  const groups = module.graph.ops("Split", [normal], { name: module.prefix, count: scale, attributes: { axis: 1n } });
  const results: Value[] = [];
  for (const [at, group] of groups.slice(0, -1).entries()) {
    const joined = at === 0 ? group : module.op("Add", [results[at - 1]!, group]);
    results.push(convolve(module, joined, { at, width }));
  }
  const all = concatChannels(module, [...results, groups.at(-1)!]);
  const last = relu(module, conv1d(module.in("conv3"), all, { inputs: inner, outputs: channels }));
  return batchNorm(module.in("bn3"), last, channels);
}

const squeezed = 128;

/** Scales each channel by a function of all means. */
export function squeezeExcite(module: Module, x: Value, channels: number): Value {
  const inner = conv1d(module.in(1), meanOverTime(module, x), { inputs: channels, outputs: squeezed });
  const normal = batchNorm(module.in(3), relu(module, inner), squeezed);
  const outer = conv1d(module.in(4), normal, { inputs: squeezed, outputs: channels });
  return module.op("Mul", [x, sigmoid(module, outer)]);
}
