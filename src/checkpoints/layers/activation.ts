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

export const softplus: Activation = (module, x) => module.op("Softplus", [x]);
export const selu: Activation = (module, x) => module.op("Selu", [x]);
export const identity: Activation = (_module, x) => x;

/** nn.CELU. */
export function celu(alpha = 1): Activation {
  return (module, x) => module.op("Celu", [x], { alpha });
}

/** nn.Hardtanh, and nn.ReLU6 with other bounds. */
export function hardtanh(min = -1, max = 1): Activation {
  return (module, x) => module.op("Clip", [x, scalar(module, min), scalar(module, max)]);
}

export const mish: Activation = (module, x) => module.op("Mul", [x, tanh(module, softplus(module, x))]);

/** nn.GELU without an approximation. */
export const gelu: Activation = (module, x) => {
  const { graph } = module;
  const error = module.op("Erf", [module.op("Mul", [x, graph.number(Math.SQRT1_2)])]);
  return module.op("Mul", [x, module.op("Mul", [module.op("Add", [error, graph.number(1)]), graph.number(0.5)])]);
};

/** The bounds of Clip have no axes. */
function scalar(module: Module, value: number): Value {
  return module.graph.constant(`float32:scalar:${value}`, [], Float32Array.of(value));
}
