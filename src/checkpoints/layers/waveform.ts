import type { Value } from "../../models/onnx/graph-builder.ts";
import type { Module } from "../module.ts";
import { reflect } from "./convolution.ts";

/** A channel for the samples: [batch, samples] → [batch, 1, samples]. */
export function addChannel(module: Module, wave: Value): Value {
  return module.op("Unsqueeze", [wave, module.graph.integers(1)]);
}

/** The difference of each sample to a part of the one before; the first is mirrored. */
export function preEmphasis(module: Module, x: Value): Value {
  const filter = module.weight("flipped_filter", [1, 1, 2]);
  return module.op("Conv", [reflect(module, x, { before: 1, after: 0 }), filter]);
}
