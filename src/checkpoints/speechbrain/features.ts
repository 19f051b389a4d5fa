import type { Value } from "../../models/onnx/graph-builder.ts";
import type { Module } from "../module.ts";
import type { Settings } from "../settings.ts";

/** SpeechBrain's Fbank: what is computed before the graph, and what in it. */
export interface FbankSettings {
  /** Options of `speechbrainFbank`, with SpeechBrain's names. */
  readonly options: Readonly<Record<string, number | string | null>>;
  readonly sampleRate: number;
  readonly mels: number;
  /** Features of a frame, with the differences that the graph adds. */
  readonly features: number;
  /** Adds the differences, if there are any. */
  extend(model: Module, feats: Value): Value;
}

/** The settings of `speechbrain.lobes.features.Fbank`. */
export function readFbank(settings: Settings): FbankSettings {
  const sampleRate = settings.count("sample_rate", 16_000);
  const mels = settings.count("n_mels", 40);
  const filterShape = settings.text("filter_shape", "triangular");
  if (filterShape !== "triangular" && filterShape !== "rectangular")
    throw settings.refuse(
      `filter_shape: ${JSON.stringify(filterShape)} is not converted; known are triangular and rectangular`,
    );
  const highest = settings.number("f_max", 0);
  const options = {
    n_mels: mels,
    n_fft: settings.count("n_fft", 400),
    win_length: settings.number("win_length", 25),
    hop_length: settings.number("hop_length", 10),
    f_min: settings.number("f_min", 0),
    f_max: highest === 0 ? null : highest,
    filter_shape: filterShape,
  };
  const hasDeltas = settings.flag("deltas", false);
  settings.require("context", false, "neighbouring frames would be put together");
  settings.require("requires_grad", false, "its filters are trained, and are in no file of the model");
  // Without training, and without context, these change nothing.
  settings.ignore("param_change_factor", "param_rand_factor", "left_frames", "right_frames").finish();
  return {
    options,
    sampleRate,
    mels,
    features: hasDeltas ? 3 * mels : mels,
    extend: (model, feats) => (hasDeltas ? addDeltas(model, feats, mels) : feats),
  };
}

/** The slope over five frames, and the slope of that, behind the features; the ends are repeated. */
function addDeltas(model: Module, feats: Value, mels: number): Value {
  const { graph } = model;
  const slope = Float32Array.from({ length: 5 * mels }, (_, at) => ((at % 5) - 2) / 10);
  const kernel = graph.constant("deltas.kernel", [mels, 1, 5], slope);
  const differences = (x: Value) =>
    model.op("Conv", [model.op("Pad", [x, graph.integers(0, 0, 2, 0, 0, 2)], { mode: "edge" }), kernel], {
      group: BigInt(mels),
    });
  const x = model.op("Transpose", [feats], { perm: [0n, 2n, 1n] });
  const first = differences(x);
  const all = model.op("Concat", [x, first, differences(first)], { axis: 1n });
  return model.op("Transpose", [all], { perm: [0n, 2n, 1n] });
}
