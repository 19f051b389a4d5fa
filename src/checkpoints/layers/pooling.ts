import type { Value } from "../../models/onnx/graph-builder.ts";
import type { Module } from "../module.ts";

// Element types of ONNX.
const [float32, float64] = [1n, 11n];

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

/**
 * Mean and deviation over time, weighted by the softmax of the scores, as RawNet, ESPnet and SpeechBrain's ResNet do. The
 * variance is a small difference of large numbers where a channel hardly changes, as in padding, so it is computed in float64.
 */
export function weightedStatistics(
  module: Module,
  { x, scores }: { readonly x: Value; readonly scores: Value },
  bounds: { readonly min: number; readonly max?: number },
): Value {
  const cast = (value: Value, to: bigint) => module.op("Cast", [value], { to });
  const exact = cast(x, float64);
  const weights = module.op("Softmax", [cast(scores, float64)], { axis: 2n });
  const mean = sumOverTime(module, module.op("Mul", [exact, weights]));
  const squares = sumOverTime(module, module.op("Mul", [square(module, exact), weights]));
  const variance = cast(module.op("Sub", [squares, square(module, mean)]), float32);
  return concatChannels(module, [cast(mean, float32), deviation(module, variance, bounds.min, bounds.max)]);
}
