import type { Value } from "../../models/onnx/graph-builder.ts";
import type { Module } from "../module.ts";

/** A convolution over time: nn.Conv1d. */
export interface Convolution {
  readonly inputs: number;
  readonly outputs: number;
  readonly kernel?: number;
  readonly dilation?: number;
  readonly stride?: number;
  readonly groups?: number;
  readonly bias?: boolean;
  /** Zeros at both ends. */
  readonly padding?: number;
}

const sizes = (...values: readonly number[]): bigint[] => values.map(BigInt);

/** nn.Conv1d over [batch, channel, time]. */
export function conv1d(module: Module, x: Value, options: Convolution): Value {
  const { inputs, outputs, kernel = 1, dilation = 1, stride = 1, groups = 1, bias = true, padding = 0 } = options;
  const weights = [module.weight("weight", [outputs, inputs / groups, kernel])];
  if (bias) weights.push(module.weight("bias", [outputs]));
  return module.op("Conv", [x, ...weights], {
    kernel_shape: sizes(kernel),
    dilations: sizes(dilation),
    strides: sizes(stride),
    group: BigInt(groups),
    pads: sizes(padding, padding),
  });
}

/** A convolution over frequency and time, with the same kernel in both: nn.Conv2d. */
export interface Convolution2d {
  readonly inputs: number;
  readonly outputs: number;
  readonly kernel: number;
  readonly strides?: readonly [number, number];
  readonly bias?: boolean;
}

/** nn.Conv2d over [batch, channel, height, width], padded so that a stride of 1 keeps the size. */
export function conv2d(module: Module, x: Value, options: Convolution2d): Value {
  const { inputs, outputs, kernel, strides = [1, 1], bias = true } = options;
  const padding = kernel >> 1;
  const weights = [module.weight("weight", [outputs, inputs, kernel, kernel])];
  if (bias) weights.push(module.weight("bias", [outputs]));
  return module.op("Conv", [x, ...weights], {
    kernel_shape: sizes(kernel, kernel),
    strides: sizes(...strides),
    pads: sizes(padding, padding, padding, padding),
  });
}

/** Mirrors the ends of the time axis. */
export function reflect(module: Module, x: Value, { before, after }: { before: number; after: number }): Value {
  if (before === 0 && after === 0) return x;
  return module.op("Pad", [x, module.graph.integers(0, 0, before, 0, 0, after)], { mode: "reflect" });
}

/** nn.Linear over [batch, channel]. */
export function linear(module: Module, x: Value, size: { readonly inputs: number; readonly outputs: number }): Value {
  const weights = [module.weight("weight", [size.outputs, size.inputs]), module.weight("bias", [size.outputs])];
  return module.op("Gemm", [x, ...weights], { transB: 1n });
}

/**
 * A convolution of kernel 1 over channels that are put together from parts, without putting them together: a part with
 * one frame only is computed once and not for every frame.
 */
export function convOfParts(
  module: Module,
  parts: readonly Value[],
  { channels, outputs }: { readonly channels: number; readonly outputs: number },
): Value {
  const { data } = module.tensor("weight", [outputs, channels * parts.length, 1]);
  const bias = module.weight("bias", [outputs]);
  const partOf = (part: number): Value => {
    const values = new Float32Array(data.length / parts.length);
    for (let row = 0; row * channels < values.length; row++) {
      const from = (row * parts.length + part) * channels;
      values.set(data.subarray(from, from + channels), row * channels);
    }
    return module.graph.constant(`${module.prefix}.weight[${part}]`, [outputs, channels, 1], values);
  };
  return parts
    .map((x, part) => module.op("Conv", part === 0 ? [x, partOf(part), bias] : [x, partOf(part)]))
    .reduce((sum, one) => module.op("Add", [sum, one]));
}
