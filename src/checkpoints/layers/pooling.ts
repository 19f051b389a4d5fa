import type { Value } from "../../models/onnx/graph-builder.ts";
import type { Module } from "../module.ts";

/** The mean over time of [batch, channel, time], with one frame left. */
export function meanOverTime(module: Module, x: Value): Value {
  return module.op("ReduceMean", [x], { axes: [2n], keepdims: 1n });
}

/** The sum over time of [batch, channel, time], with one frame left. */
export function sumOverTime(module: Module, x: Value): Value {
  return module.op("ReduceSum", [x, module.graph.integers(2)], { keepdims: 1n });
}

export function square(module: Module, x: Value): Value {
  return module.op("Mul", [x, x]);
}

export function clamp(module: Module, x: Value, min: number, max: number = Number.POSITIVE_INFINITY): Value {
  const floored = module.op("Max", [x, module.graph.number(min)]);
  return max === Number.POSITIVE_INFINITY ? floored : module.op("Min", [floored, module.graph.number(max)]);
}

/** The root of a variance that is held between two bounds. */
export function deviation(module: Module, variance: Value, min: number, max?: number): Value {
  return module.op("Sqrt", [clamp(module, variance, min, max)]);
}

/** Removes the time axis, of which one frame is left. */
export function dropTime(module: Module, x: Value): Value {
  return module.op("Squeeze", [x, module.graph.integers(2)]);
}

/** Puts values together along the channels. */
export function concatChannels(module: Module, values: readonly Value[]): Value {
  return module.op("Concat", values, { axis: 1n });
}

/** Equal groups of channels. */
export function splitChannels(module: Module, x: Value, count: number): Value[] {
  return module.graph.ops("Split", [x], { name: module.prefix, count, attributes: { axis: 1n } });
}

/** Mean and deviation over time, weighted; the weights of a channel add up to 1. As RawNet, ESPnet and SpeechBrain's ResNet do. */
export function weightedStatistics(
  module: Module,
  { x, weights }: { readonly x: Value; readonly weights: Value },
  bounds: { readonly min: number; readonly max?: number },
): Value {
  const mean = sumOverTime(module, module.op("Mul", [x, weights]));
  const squares = sumOverTime(module, module.op("Mul", [square(module, x), weights]));
  const variance = module.op("Sub", [squares, square(module, mean)]);
  return concatChannels(module, [mean, deviation(module, variance, bounds.min, bounds.max)]);
}
