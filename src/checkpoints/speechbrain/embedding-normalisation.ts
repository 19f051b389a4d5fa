import type { NdArray } from "../../formats/nd-array.ts";
import { readPt } from "../../formats/pt/read-pt.ts";
import type { Value } from "../../models/onnx/graph-builder.ts";
import { badCheckpoint } from "../bad-checkpoint.ts";
import type { Module } from "../module.ts";
import type { Settings } from "../settings.ts";

/** Normalises vectors, [batch, size]. */
export type EmbeddingNormalisation = (model: Module, vectors: Value, size: number) => Value;

/** `InputNormalization` of vectors with the statistics of training, as `normalize=True` of SpeechBrain computes it. */
export function readEmbeddingNormalisation(settings: Settings, file: string): EmbeddingNormalisation {
  const hasDeviation = settings.flag("std_norm", true);
  const epsilon = settings.number("epsilon", 1e-10);
  if (settings.text("norm_type", "global") !== "global")
    throw settings.refuse("norm_type is not global: there are no statistics to normalise vectors with");
  settings.require("mean_norm", true, "SpeechBrain refuses it too");
  settings.ignore("avg_factor", "requires_grad", "update_until_epoch", "length_dim", "avoid_padding_norm", "device");
  settings.finish();
  return (model, vectors, size) => {
    const constant = (name: string, data: Float32Array) => model.graph.constant(`statistics.${name}`, [1, size], data);
    const centred = model.op("Sub", [vectors, constant("mean", statistic(file, "glob_mean", size))]);
    if (!hasDeviation) return centred;
    const deviation = statistic(file, "glob_std", size).map((value) => Math.max(value, epsilon));
    return model.op("Div", [centred, constant("deviation", deviation)]);
  };
}

/** One number for each of a vector. A single number is that of all. */
function statistic(file: string, name: string, size: number): Float32Array {
  const content = readPt(file);
  const value = content instanceof Map ? content.get(name) : undefined;
  if (!isFloats(value)) throw badCheckpoint(file, `it holds no tensor ${name} of float32`, hint);
  if (value.data.length === size) return value.data;
  if (value.data.length === 1) return new Float32Array(size).fill(value.data[0]!);
  throw badCheckpoint(file, `${name} has ${value.data.length} numbers, and a vector ${size}`, hint);
}

const hint = "The file of another model, or not one that InputNormalization has written. Copy the whole folder.";

function isFloats(value: unknown): value is NdArray<"float32"> {
  return typeof value === "object" && value !== null && "dtype" in value && value.dtype === "float32";
}
