import type { Value } from "../../models/onnx/graph-builder.ts";
import { clamp, meanOverTime, square } from "../layers/pooling.ts";
import type { Module } from "../module.ts";
import type { Settings } from "../settings.ts";

/** ESPnet's UtteranceMVN over [batch, feature, time]. */
export function readUtteranceMvn(settings: Settings): (module: Module, feats: Value) => Value {
  const hasMean = settings.flag("norm_means", true);
  const hasVariance = settings.flag("norm_vars", false);
  const epsilon = settings.number("eps", 1e-20);
  settings.finish();
  return (module, feats) => {
    const centred = module.op("Sub", [feats, meanOverTime(module, feats)]);
    const normal = hasMean ? centred : feats;
    if (!hasVariance) return normal;
    const deviation = module.op("Sqrt", [meanOverTime(module, square(module, centred))]);
    return module.op("Div", [normal, clamp(module, deviation, epsilon)]);
  };
}
