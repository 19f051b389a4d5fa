import type { Value } from "../../models/onnx/graph-builder.ts";
import { meanOverTime, square } from "../layers/pooling.ts";
import { sincConv } from "../layers/sinc-filters.ts";
import { addChannel, preEmphasis } from "../layers/waveform.ts";
import type { Module } from "../module.ts";
import type { Settings } from "../settings.ts";
import type { FrontEnd } from "./parts.ts";

/** ESPnet's AsteroidFrontend. */
export function readAsteroidFrontend(settings: Settings): FrontEnd {
  const filters = settings.count("sinc_filters", 256);
  const asked = settings.count("sinc_kernel_size", 251);
  const stride = settings.count("sinc_stride", 16);
  const logTerm = settings.number("log_term", 1e-6);
  // The coefficient of the pre-emphasis is a weight of the checkpoint.
  settings.ignore("preemph_coef").finish();
  if (filters % 2 !== 0) throw settings.refuse("sinc_filters is odd: every filter is a pair");
  // The filterbank makes an even length odd.
  const kernel = asked % 2 === 0 ? asked + 1 : asked;
  return {
    outputs: filters,
    samplesFor: (frames) => kernel + (frames - 1) * stride,
    // With the length that was asked for, which may be one less.
    count(module, wave) {
      const { graph } = module;
      const samples = module.op("Gather", [module.op("Shape", [wave]), graph.integers(1)], { axis: 0n });
      const rest = module.op("Sub", [samples, graph.integers(asked)]);
      return module.op("Add", [module.op("Div", [rest, graph.integers(stride)]), graph.integers(1)]);
    },
    build: (module, wave) => {
      const x = normalisedWave(module, preEmphasis(module, addChannel(module, wave)), "norm");
      return logSinc(module, sincConv(module.in("conv"), x, { filters, kernel, stride }), logTerm);
    },
  };
}

// Element types of ONNX.
const [float32, float64] = [1n, 11n];

/**
 * nn.InstanceNorm1d of one channel. In float64, with factor and offset rounded to float32: PyTorch multiplies and adds
 * in one step, and quiet bands show the difference after the logarithm.
 */
export function normalisedWave(module: Module, x: Value, name: string): Value {
  const norm = module.in(name);
  const weight = norm.weight("weight", [1]);
  const bias = norm.weight("bias", [1]);
  const double = (value: Value) => norm.op("Cast", [value], { to: float64 });
  const rounded = (value: Value) => double(norm.op("Cast", [value], { to: float32 }));
  const exact = double(x);
  const mean = meanOverTime(norm, exact);
  const variance = meanOverTime(norm, square(norm, norm.op("Sub", [exact, mean])));
  const deviation = norm.op("Sqrt", [norm.op("Add", [variance, double(norm.graph.number(1e-4))])]);
  const factor = rounded(norm.op("Div", [double(weight), deviation]));
  const offset = rounded(norm.op("Sub", [double(bias), norm.op("Mul", [mean, factor])]));
  return norm.op("Cast", [norm.op("Add", [norm.op("Mul", [exact, factor]), offset])], { to: float32 });
}

/** The logarithm of what the filters let through, without its mean over time. */
export function logSinc(module: Module, x: Value, logTerm: number): Value {
  const level = module.op("Add", [module.op("Abs", [x]), module.graph.number(logTerm)]);
  const logs = module.op("Log", [level]);
  return module.op("Sub", [logs, meanOverTime(module, logs)]);
}
