import type { Value } from "../models/onnx/graph-builder.ts";
import { logSinc, normalisedWave } from "./espnet/asteroid-frontend.ts";
import { attentiveStatistics } from "./espnet/pooling.ts";
import { rawnet3 } from "./espnet/rawnet3.ts";
import { linear } from "./layers/convolution.ts";
import { batchNorm } from "./layers/normalisation.ts";
import { deviation, meanOverTime, square } from "./layers/pooling.ts";
import { sincConv } from "./layers/sinc-filters.ts";
import { addChannel, preEmphasis } from "./layers/waveform.ts";
import { Module } from "./module.ts";
import type { SpeakerCheckpoint } from "./speaker-checkpoint.ts";
import { readStateDict } from "./state-dict.ts";

// RawNet3 has no configuration file: its repository fixes these, and the weights have the other sizes.
const kernel = 251;
const stride = 10;
const scale = 8;
const encoded = 1536;
const hidden = 128;

/** RawNet's own RawNet3, as its repository runs it: the tensors below the key `model`. */
export function readRawnet({ weights }: { readonly weights: string }): SpeakerCheckpoint {
  const state = readStateDict(weights, "model");
  const dimension = state.tensors.get("fc6.weight")?.shape[0] ?? 256;
  return {
    toolkit: "rawnet",
    architecture: "RawNet3",
    sampleRate: 16_000,
    features: undefined,
    // Fifteen frames become one.
    minLength: kernel + 14 * stride,
    dimension,
    convert() {
      const model = Module.of(state);
      const { graph } = model;
      const wave = graph.input("wave", ["B", "N"]);
      graph.output(build(model, wave, dimension), "embs", ["B", dimension]);
      // Parts that this version of the model has and does not use.
      model.skip("bn1", "bn6");
      return model.finish("RawNet3");
    },
  };
}

function build(model: Module, wave: Value, dimension: number): Value {
  const [channels = 1024] = model.shapeOf("layer1.conv1.weight");
  const filters = channels >> 2;
  let x = preEmphasis(model.in("preprocess.0"), addChannel(model, wave));
  x = normalisedWave(model, x, "preprocess.1");
  x = logSinc(model, sincConv(model.in("conv1"), x, { filters, kernel, stride }), 1e-6);
  const frames = rawnet3(model, x, { inputs: filters, channels, scale, outputs: encoded });
  const context = [frames, meanOverTime(model, frames), unbiasedDeviation(model, frames)];
  const pooled = attentiveStatistics(model.in("attention"), context, { channels: encoded, hidden });
  const normal = batchNorm(model.in("bn5"), pooled, 2 * encoded);
  return linear(model.in("fc6"), normal, { inputs: 2 * encoded, outputs: dimension });
}

/** torch.var divides by one frame less. */
function unbiasedDeviation(model: Module, x: Value): Value {
  const { graph } = model;
  const squares = square(model, model.op("Sub", [x, meanOverTime(model, x)]));
  const count = model.op("Gather", [model.op("Shape", [x]), graph.integers(2)], { axis: 0n });
  const others = model.op("Sub", [model.op("Cast", [count], { to: 1n }), graph.number(1)]);
  const sum = model.op("ReduceSum", [squares, graph.integers(2)], { keepdims: 1n });
  return deviation(model, model.op("Div", [sum, others]), 1e-4, 1e4);
}
