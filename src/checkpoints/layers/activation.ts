import type { Value } from "../../models/onnx/graph-builder.ts";
import type { Module } from "../module.ts";

/** A function of each value, as a class of torch.nn makes it. */
export type Activation = (module: Module, x: Value) => Value;

export const relu: Activation = (module, x) => module.op("Relu", [x]);

/** nn.LeakyReLU. */
export function leakyRelu(slope = 0.01): Activation {
  return (module, x) => module.op("LeakyRelu", [x], { alpha: slope });
}

export const tanh: Activation = (module, x) => module.op("Tanh", [x]);
export const sigmoid: Activation = (module, x) => module.op("Sigmoid", [x]);

/** nn.SiLU, which SpeechBrain calls Swish. */
export const silu: Activation = (module, x) => module.op("Mul", [x, sigmoid(module, x)]);

/** nn.ELU. */
export function elu(alpha = 1): Activation {
  return (module, x) => module.op("Elu", [x], { alpha });
}
