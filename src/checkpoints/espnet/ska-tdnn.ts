import type { Value } from "../../models/onnx/graph-builder.ts";
import { relu } from "../layers/activation.ts";
import { conv1d, conv2d } from "../layers/convolution.ts";
import { batchNorm } from "../layers/normalisation.ts";
import type { Module } from "../module.ts";
import type { Settings } from "../settings.ts";
import { threeLayers } from "./ecapa-tdnn.ts";
import type { Encoder } from "./parts.ts";
import { type GroupConvolution, readScale, res2Convs, squeezeExcite } from "./res2-convs.ts";
import { selectKernel } from "./selective-kernel.ts";

/** The kernels between which the model selects. */
const kernels = [5, 7];

/** ESPnet's SkaTdnnEncoder. */
export function readSkaEncoder(settings: Settings, inputs: number): Encoder {
  const channels = settings.count("ndim", 1024);
  const scale = readScale(settings);
  const planes = settings.count("ska_dim", 128);
  const outputs = settings.count("output_size", 1536);
  settings.require("block", "Bottle2neck", "only this block is known");
  settings.require("skablock", "ResBlock", "only this block is known");
  settings.finish();
  if (inputs % 4 !== 0) throw settings.refuse(`${inputs} features are not divisible by 4`);
  return {
    outputs,
    minFrames: 1,
    build(module, feats) {
      const bands = frontBlocks(module, feats, { planes, bands: inputs / 2 });
      const flat = { inputs: (planes * inputs) / 4, outputs: channels, kernel: 5, padding: 2 };
      const first = conv1d(module.in("conv1"), bands, flat);
      const x = batchNorm(module.in("bn1"), relu(module, first), channels);
      return threeLayers(module, x, { channels, outputs }, (layer, y, dilation) => {
        const convolve = selective(dilation);
        const inner = res2Convs(layer, y, { inputs: channels, channels, scale, convolve });
        return layer.op("Add", [squeezeExcite(layer.in("se.se"), inner, channels), y]);
      });
    },
  };
}

interface Front {
  readonly planes: number;
  readonly bands: number;
}

/** Convolutions over bands and time, which leave a quarter of the bands and half of the frames. */
function frontBlocks(module: Module, feats: Value, { planes, bands }: Front): Value {
  const { graph } = module;
  const norm = (name: string, x: Value) => batchNorm(module.in(name), relu(module, x), planes);
  let x = module.op("Unsqueeze", [feats, graph.integers(1)]);
  x = conv2d(module.in("frt_conv1"), x, { inputs: 1, outputs: planes, kernel: 3, strides: [2, 1] });
  x = norm("frt_bn1", x);
  for (const name of ["frt_block1", "frt_block2"]) x = resBlock(module.in(name), x, { planes, bands });
  x = conv2d(module.in("frt_conv2"), x, { inputs: planes, outputs: planes, kernel: 3, strides: [2, 2] });
  x = norm("frt_bn2", x);
  const batch = module.op("Gather", [module.op("Shape", [feats]), graph.integers(0)], { axis: 0n });
  const shape = module.op("Concat", [batch, graph.integers((planes * bands) / 2, -1)], { axis: 0n });
  return module.op("Reshape", [x, shape]);
}

function resBlock(module: Module, x: Value, { planes, bands }: Front): Value {
  const first = conv2d(module.in("conv1"), x, { inputs: planes, outputs: planes, kernel: 3, bias: false });
  let y = batchNorm(module.in("bn1"), relu(module, first), planes);
  y = selectOver(module.in("skfwse"), y, planes, { size: bands, reduction: 8, others: [1, 3] });
  y = selectOver(module.in("skcwse"), y, planes, { size: planes, reduction: 8, others: [2, 3] });
  return relu(module, module.op("Add", [y, x]));
}

function selectOver(
  module: Module,
  x: Value,
  planes: number,
  options: { readonly size: number; readonly reduction: number; readonly others: readonly number[] },
): Value {
  const branches = kernels.map((kernel, at) => {
    const branch = module.in("convs").in(at);
    const convolved = conv2d(branch.in("conv"), x, { inputs: planes, outputs: planes, kernel });
    return batchNorm(branch.in("bn"), relu(branch, convolved), planes);
  });
  return selectKernel(module, branches, options);
}

/** The convolutions of a group, between which its block selects. */
function selective(dilation: number): GroupConvolution {
  return (module, x, { at, width }) => {
    const branches = kernels.map((kernel, one) => {
      const branch = module.in("skconvs").in(at).in(one);
      const padding = Math.floor(kernel / 2) * dilation;
      const convolved = conv1d(branch.in("conv"), x, { inputs: width, outputs: width, kernel, dilation, padding });
      return batchNorm(branch.in("bn"), relu(branch, convolved), width);
    });
    return selectKernel(module.in("skse"), branches, { size: width, reduction: 4, others: [2] });
  };
}
