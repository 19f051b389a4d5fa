import type { Value } from "../../models/onnx/graph-builder.ts";
import { relu } from "../layers/activation.ts";
import { conv1d } from "../layers/convolution.ts";
import { batchNorm } from "../layers/normalisation.ts";
import { concatChannels } from "../layers/pooling.ts";
import type { Module } from "../module.ts";
import type { Settings } from "../settings.ts";
import type { Encoder } from "./parts.ts";
import { dilated } from "./rawnet3.ts";
import { readScale, res2Convs, squeezeExcite } from "./res2-convs.ts";

/** ESPnet's EcapaTdnnEncoder. */
export function readEcapaEncoder(settings: Settings, inputs: number): Encoder {
  const scale = readScale(settings);
  const channels = settings.count("ndim", 1024);
  const outputs = settings.count("output_size", 1536);
  settings.require("block", "EcapaBlock", "only this block is known");
  settings.finish();
  return {
    outputs,
    minFrames: 1,
    build(module, feats) {
      const first = conv1d(module.in("conv"), feats, { inputs, outputs: channels, kernel: 5, padding: 2 });
      const x = batchNorm(module.in("bn"), relu(module, first), channels);
      return threeLayers(module, x, { channels, outputs }, (layer, y, dilation) => {
        const inner = res2Convs(layer, y, { inputs: channels, channels, scale, convolve: dilated(dilation) });
        return layer.op("Add", [squeezeExcite(layer.in("se.se"), inner, channels), y]);
      });
    },
  };
}

/** Three layers, each of which gets the sum of what came before it, and a convolution over all three. */
export function threeLayers(
  module: Module,
  x: Value,
  { channels, outputs }: { readonly channels: number; readonly outputs: number },
  layer: (module: Module, x: Value, dilation: number) => Value,
): Value {
  const first = layer(module.in("layer1"), x, 2);
  const afterFirst = module.op("Add", [x, first]);
  const second = layer(module.in("layer2"), afterFirst, 3);
  const third = layer(module.in("layer3"), module.op("Add", [afterFirst, second]), 4);
  const all = concatChannels(module, [first, second, third]);
  return relu(module, conv1d(module.in("layer4"), all, { inputs: 3 * channels, outputs }));
}
