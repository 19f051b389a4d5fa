import type { Value } from "../../models/onnx/graph-builder.ts";
import { type Activation, relu, sigmoid, tanh } from "../layers/activation.ts";
import { conv1d, convOfParts, reflect } from "../layers/convolution.ts";
import { batchNorm } from "../layers/normalisation.ts";
import { concatChannels, deviation, dropTime, splitChannels, square, sumOverTime } from "../layers/pooling.ts";
import type { Module } from "../module.ts";
import type { Settings } from "../settings.ts";
import { readActivation } from "./activation-setting.ts";
import type { EmbeddingModel } from "./embedding-model.ts";
import { type FrameMask, frameMask } from "./lengths.ts";

/** SpeechBrain's ECAPA_TDNN, with the settings of its constructor. */
export function readEcapaTdnn(settings: Settings): EmbeddingModel {
  const inputs = settings.count("input_size");
  const outputs = settings.count("lin_neurons", 192);
  const activation = readActivation(settings, "activation", relu);
  const channels = settings.counts("channels", [512, 512, 512, 512, 1536]);
  const kernels = settings.counts("kernel_sizes", [5, 3, 3, 3, 1]);
  const dilations = settings.counts("dilations", [1, 2, 3, 4, 1]);
  const attention = settings.count("attention_channels", 128);
  const scale = settings.count("res2net_scale", 8);
  const squeezed = settings.count("se_channels", 128);
  const isContextGlobal = settings.flag("global_context", true);
  const groups = settings.counts(
    "groups",
    channels.map(() => 1),
  );
  settings.ignore("device", "dropout").finish();
  const last = channels.length - 1;
  if (
    last < 2 ||
    [kernels, dilations].some(({ length }) => length !== channels.length) ||
    groups.length < channels.length
  )
    throw settings.refuse(
      "channels, kernel_sizes, dilations and groups need one number for each of three or more layers",
    );
  if (new Set(channels.slice(1, last)).size > 1)
    throw settings.refuse(
      "the layers between the first and the last have different channels, which SpeechBrain cannot run",
    );
  const inner = channels.slice(1, last).map((_, at) => ({ kernel: kernels[at + 1]!, dilation: dilations[at + 1]! }));
  if (scale > 1 && inner.some(shortens))
    throw settings.refuse(
      "a layer between the first and the last has an even kernel and an odd dilation, which SpeechBrain cannot run",
    );
  if (channels.slice(1, last).some((count) => count % scale !== 0))
    throw settings.refuse(`channels are not divisible by res2net_scale, ${scale}`);
  const layer = (at: number): Tdnn => ({
    outputs: channels[at]!,
    kernel: kernels[at]!,
    dilation: dilations[at]!,
    groups: groups[at]!,
    activation,
  });
  return {
    architecture: "ECAPA_TDNN",
    inputs,
    outputs,
    // The widest convolution mirrors this many frames, so an utterance needs one more.
    minFrames: 1 + Math.max(...channels.map((_, at) => mirrored(layer(at)))),
    build(model, { feats, lengths }) {
      const maskOf = (frames: Value) => frameMask(model, { x: frames, timeAxis: 2, lengths });
      let x = model.op("Transpose", [feats], { perm: [0n, 2n, 1n] });
      x = tdnn(model.in("blocks.0"), x, inputs, layer(0));
      const mask = maskOf(x);
      const kept: Value[] = [];
      for (let at = 1; at < last; at++) {
        x = seRes2Net(model.in("blocks").in(at), x, { inputs: channels[at - 1]!, ...layer(at), scale, squeezed, mask });
        kept.push(x);
      }
      x = tdnn(model.in("mfa"), concatChannels(model, kept), channels[last - 1]! * (last - 1), layer(last));
      const pooled = attentiveStatistics(model.in("asp"), x, {
        channels: channels[last]!,
        attention,
        isContextGlobal,
        mask: shortens(layer(last)) ? maskOf(x) : mask,
      });
      const normal = batchNorm(model.in("asp_bn.norm"), pooled, 2 * channels[last]!);
      return dropTime(model, conv1d(model.in("fc.conv"), normal, { inputs: 2 * channels[last]!, outputs }));
    },
  };
}

interface Tdnn {
  readonly outputs: number;
  readonly kernel: number;
  readonly dilation: number;
  readonly groups: number;
  readonly activation: Activation;
}

/** The frames that are mirrored at each end, so that the length stays the same. */
function mirrored({ kernel, dilation }: { readonly kernel: number; readonly dilation: number }): number {
  return Math.floor((dilation * (kernel - 1)) / 2);
}

/** Whether a layer takes a frame away: it mirrors whole frames, and half a frame at each end is missing. */
function shortens({ kernel, dilation }: { readonly kernel: number; readonly dilation: number }): boolean {
  return (dilation * (kernel - 1)) % 2 !== 0;
}

function tdnn(module: Module, x: Value, inputs: number, { activation, ...options }: Tdnn): Value {
  const size = mirrored(options);
  const conv = module.in("conv.conv");
  const y = conv1d(conv, reflect(conv, x, { before: size, after: size }), { inputs, ...options });
  return batchNorm(module.in("norm.norm"), activation(module, y), options.outputs);
}

/** A TDNN of kernel 1, as the blocks have before and after their other layers. */
const pointwise = { kernel: 1, dilation: 1 } as const;

interface SeRes2Net extends Tdnn {
  readonly inputs: number;
  readonly scale: number;
  readonly squeezed: number;
  readonly mask: FrameMask;
}

function seRes2Net(module: Module, x: Value, options: SeRes2Net): Value {
  const { inputs, outputs, groups, activation, kernel, dilation, scale, squeezed, mask } = options;
  const residual = inputs === outputs ? x : conv1d(module.in("shortcut.conv"), x, { inputs, outputs });
  const outer: Tdnn = { outputs, ...pointwise, groups, activation };
  let y = tdnn(module.in("tdnn1"), x, inputs, outer);
  y = res2Net(module.in("res2net_block"), y, { outputs, kernel, dilation, scale });
  y = tdnn(module.in("tdnn2"), y, outputs, outer);
  const scaled = squeezeExcite(module.in("se_block"), y, { channels: outputs, squeezed, mask });
  return module.op("Add", [scaled, residual]);
}

/** Groups of channels, each convolved together with the result of the one before. */
function res2Net(
  module: Module,
  x: Value,
  { outputs, kernel, dilation, scale }: { outputs: number; kernel: number; dilation: number; scale: number },
): Value {
  if (scale === 1) return x;
  const width = outputs / scale;
  const [first, ...others] = splitChannels(module, x, scale);
  const results = [first!];
  for (const [at, part] of others.entries()) {
    const joined = at === 0 ? part : module.op("Add", [part, results[at]!]);
    // Its activation and groups are not settings of the model.
    const inner: Tdnn = { outputs: width, kernel, dilation, groups: 1, activation: relu };
    results.push(tdnn(module.in("blocks").in(at), joined, width, inner));
  }
  return concatChannels(module, results);
}

function squeezeExcite(
  module: Module,
  x: Value,
  { channels, squeezed, mask: { mask, count } }: { channels: number; squeezed: number; mask: FrameMask },
): Value {
  const mean = module.op("Div", [sumOverTime(module, module.op("Mul", [x, mask])), count]);
  const inner = relu(module, conv1d(module.in("conv1.conv"), mean, { inputs: channels, outputs: squeezed }));
  const outer = conv1d(module.in("conv2.conv"), inner, { inputs: squeezed, outputs: channels });
  return module.op("Mul", [x, sigmoid(module, outer)]);
}

// Below the precision of the variances of float32 activations.
const minVariance = 1e-12;

function attentiveStatistics(
  module: Module,
  x: Value,
  options: { channels: number; attention: number; isContextGlobal: boolean; mask: FrameMask },
): Value {
  const { channels, attention, isContextGlobal, mask } = options;
  const statistics = (weights: Value): Value[] => {
    const mean = sumOverTime(module, module.op("Mul", [weights, x]));
    const squares = square(module, module.op("Sub", [x, mean]));
    return [mean, deviation(module, sumOverTime(module, module.op("Mul", [weights, squares])), minVariance)];
  };
  const context = isContextGlobal ? statistics(module.op("Div", [mask.mask, mask.count])) : [];
  const mixed = convOfParts(module.in("tdnn.conv.conv"), [x, ...context], { channels, outputs: attention });
  const normal = batchNorm(module.in("tdnn.norm.norm"), relu(module, mixed), attention);
  const scores = conv1d(module.in("conv.conv"), tanh(module, normal), { inputs: attention, outputs: channels });
  return concatChannels(module, statistics(softmaxWithin(module, scores, mask.mask)));
}

/** Weights over time that add up to 1, of which padding gets none. */
function softmaxWithin(module: Module, scores: Value, mask: Value): Value {
  const { graph } = module;
  const isWithin = module.op("Cast", [mask], { to: 9n });
  const masked = module.op("Where", [isWithin, scores, graph.number(Number.NEGATIVE_INFINITY)]);
  return module.op("Softmax", [masked], { axis: 2n });
}
