import type { Value } from "../../models/onnx/graph-builder.ts";
import type { Module } from "../module.ts";

/** nn.BatchNorm1d or nn.BatchNorm2d with the statistics of training. */
export function batchNorm(module: Module, x: Value, channels: number): Value {
  module.skip("num_batches_tracked");
  const weights = ["weight", "bias", "running_mean", "running_var"].map((name) => module.weight(name, [channels]));
  return module.op("BatchNormalization", [x, ...weights], { epsilon: 1e-5 });
}
