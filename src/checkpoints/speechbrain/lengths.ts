import type { Value } from "../../models/onnx/graph-builder.ts";
import type { Module } from "../module.ts";

/** 1 for the frames of an utterance and 0 for its padding, as [batch, 1, time]; and how many there are. */
export interface FrameMask {
  readonly mask: Value;
  /** [batch, 1, 1]. */
  readonly count: Value;
}

/** Values over time, and the share of it that belongs to each utterance. */
export interface Timed {
  readonly x: Value;
  /** The axis of the time: 1 of [batch, time, feature], 2 of [batch, channel, time]. */
  readonly timeAxis: 1 | 2;
  /** [batch]. */
  readonly lengths: Value;
}

/** The length of the time axis as one float. */
function frameCount(module: Module, { x, timeAxis }: Timed): Value {
  const frames = module.op("Gather", [module.op("Shape", [x]), module.graph.integers(timeAxis)], { axis: 0n });
  return module.op("Cast", [frames], { to: 1n });
}

/**
 * The mask of relative lengths: every frame that begins before the end counts. `adjust` changes the ends, [batch], in
 * frames: the modules of SpeechBrain round them in different ways.
 */
export function frameMask(module: Module, timed: Timed, adjust: (ends: Value) => Value = (ends) => ends): FrameMask {
  const { graph } = module;
  const frames = frameCount(module, timed);
  const ends = adjust(module.op("Mul", [timed.lengths, frames]));
  const zero = graph.constant("float32:zero", [], Float32Array.of(0));
  const one = graph.constant("float32:one", [], Float32Array.of(1));
  const places = module.op("Range", [zero, module.op("Squeeze", [frames]), one]);
  const isWithin = module.op("Less", [places, module.op("Unsqueeze", [ends, graph.integers(1, 2)])]);
  const mask = module.op("Cast", [isWithin], { to: 1n });
  return { mask, count: module.op("ReduceSum", [mask, graph.integers(2)], { keepdims: 1n }) };
}
