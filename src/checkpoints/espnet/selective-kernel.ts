import type { Value } from "../../models/onnx/graph-builder.ts";
import { relu } from "../layers/activation.ts";
import { linear } from "../layers/convolution.ts";
import type { Module } from "../module.ts";

export interface SelectiveKernel {
  /** The size of the axis that the weights are for: channels, or bands. */
  readonly size: number;
  readonly reduction: number;
  /** The axes over which a mean is taken: all but the batch and the axis of the weights. */
  readonly others: readonly number[];
}

// The layer between the two has at least this many numbers, however few channels there are.
const minHidden = 16;

/** Adds results of convolutions with different kernels, with weights that depend on their mean and add up to 1. */
export function selectKernel(
  module: Module,
  branches: readonly Value[],
  { size, reduction, others }: SelectiveKernel,
): Value {
  const { graph } = module;
  const hidden = Math.max(minHidden, Math.floor(size / reduction));
  const sum = branches.reduce((total, branch) => module.op("Add", [total, branch]));
  const mean = module.op("ReduceMean", [sum], { axes: others.map(BigInt), keepdims: 0n });
  const inner = relu(module, linear(module.in("fc"), mean, { inputs: size, outputs: hidden }));
  const scores = branches.map((_, at) => {
    const branch = module.in("fcs").in(at);
    const score = linear(branch, inner, { inputs: hidden, outputs: size });
    return branch.op("Unsqueeze", [score, graph.integers(0, ...others.map((axis) => axis + 1))]);
  });
  const weights = module.op("Softmax", [module.op("Concat", scores, { axis: 0n })], { axis: 0n });
  const each = graph.ops("Split", [weights], {
    name: module.prefix,
    count: branches.length,
    attributes: { axis: 0n },
  });
  return branches
    .map((branch, at) => module.op("Mul", [branch, module.op("Squeeze", [each[at]!, graph.integers(0)])]))
    .reduce((total, branch) => module.op("Add", [total, branch]));
}
