import type { Value } from "../../models/onnx/graph-builder.ts";
import { clamp, square } from "../layers/pooling.ts";
import type { Module } from "../module.ts";
import type { Settings } from "../settings.ts";
import type { EmbeddingInput } from "./embedding-model.ts";
import { frameMask } from "./lengths.ts";

/** Normalises the features of each utterance. */
export type InputNormalisation = (model: Module, input: EmbeddingInput) => Value;

/**
 * The settings of `speechbrain.processing.features.InputNormalization`, computed as SpeechBrain has done since 2025:
 * the deviation divides by the number of frames, and before by one less.
 */
export function readInputNormalisation(settings: Settings): InputNormalisation {
  const hasDeviation = settings.flag("std_norm", true);
  const epsilon = settings.number("epsilon", 1e-10);
  if (settings.text("norm_type", "global") !== "sentence")
    throw settings.refuse("norm_type is not sentence: statistics of other utterances are not converted");
  settings.require("mean_norm", true, "SpeechBrain refuses it too");
  settings.require("avoid_padding_norm", false, "padding would stay as it is");
  // For statistics of several utterances only.
  settings.ignore("avg_factor", "requires_grad", "update_until_epoch", "length_dim", "device").finish();
  return (model, input) => normalise(model, input, hasDeviation ? epsilon : undefined);
}

// A length that is a whole number of frames but for rounding ends there.
const tolerance = 1e-6;

function normalise(model: Module, { feats, lengths }: EmbeddingInput, minDeviation: number | undefined): Value {
  const { graph } = model;
  const shorten = (ends: Value) => model.op("Sub", [ends, graph.number(tolerance)]);
  const { mask, count } = frameMask(model, { x: feats, timeAxis: 1, lengths }, shorten);
  // [batch, time, 1], beside features.
  const isWithin = model.op("Transpose", [mask], { perm: [0n, 2n, 1n] });
  const average = (x: Value) => {
    const sum = model.op("ReduceSum", [model.op("Mul", [x, isWithin]), graph.integers(1)], { keepdims: 1n });
    return model.op("Div", [sum, count]);
  };
  const centred = model.op("Sub", [feats, average(feats)]);
  if (minDeviation === undefined) return centred;
  const deviation = model.op("Sqrt", [average(square(model, centred))]);
  return model.op("Div", [centred, clamp(model, deviation, minDeviation)]);
}
