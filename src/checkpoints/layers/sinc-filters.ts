import type { Value } from "../../models/onnx/graph-builder.ts";
import type { Module } from "../module.ts";
import { convolveExactly } from "./exact-convolution.ts";
import { cosines, sines } from "./float32-sine.ts";

// Fixed in asteroid-filterbanks, as are the 16 kHz.
const minLowHertz = 50;
const minBandHertz = 50;
const highestHertz = 8000;

// Rounded at each step as PyTorch does: angles are hundreds of radians, whose rounding shifts the waves.
const float = Math.fround;

/**
 * ParamSincFB of asteroid-filterbanks over [batch, 1, samples]: band-pass filters whose edges were trained, each as a
 * cosine and a sine. They are computed once, here.
 */
export function sincConv(
  module: Module,
  x: Value,
  { filters, kernel, stride }: { readonly filters: number; readonly kernel: number; readonly stride: number },
): Value {
  const half = kernel >> 1;
  const bands = filters >> 1;
  const bank = module.in("filterbank");
  const low = bank.tensor("low_hz_", [bands, 1]).data;
  const width = bank.tensor("band_hz_", [bands, 1]).data;
  const window = bank.tensor("window_", [half]).data;
  const times = bank.tensor("n_", [1, half]).data;
  const values = makeFilters({ low, width, window, times });
  return convolveExactly(module, x, { filters: values, count: 2 * bands, kernel, stride });
}

interface SincWeights {
  /** The lower edges and the widths of the bands, beyond the least ones. */
  readonly low: Float32Array;
  readonly width: Float32Array;
  /** The first half of the window, and the angle of 1 Hz at each of its taps. */
  readonly window: Float32Array;
  readonly times: Float32Array;
}

/** The cosines of all bands, then the sines, each a row. The second half of a filter mirrors the first. */
function makeFilters({ low, width, window, times }: SincWeights): Float32Array {
  const half = window.length;
  const kernel = 2 * half + 1;
  const from = low.map((edge) => minLowHertz + Math.abs(edge));
  const to = width.map((band, at) => Math.min(float(from[at]! + minBandHertz) + Math.abs(band), highestHertz));
  const anglesOf = (edges: Float32Array) =>
    Float32Array.from({ length: edges.length * half }, (_, at) => edges[Math.floor(at / half)]! * times[at % half]!);
  const [lower, upper] = [anglesOf(from), anglesOf(to)];
  const [lowSines, highSines] = [sines(lower), sines(upper)];
  const [lowCosines, highCosines] = [cosines(lower), cosines(upper)];
  const filters = new Float32Array(2 * low.length * kernel);
  for (let band = 0; band < low.length; band++) {
    const even = filters.subarray(band * kernel, (band + 1) * kernel);
    const odd = filters.subarray((low.length + band) * kernel, (low.length + band + 1) * kernel);
    const scale = float(2 * float(to[band]! - from[band]!));
    for (let tap = 0; tap < half; tap++) {
      const at = band * half + tap;
      const shape = (difference: number) =>
        float(float(float(difference) / float(times[tap]! / 2)) * window[tap]!) / scale;
      even[tap] = shape(highSines[at]! - lowSines[at]!);
      odd[tap] = shape(lowCosines[at]! - highCosines[at]!);
      even[kernel - 1 - tap] = even[tap]!;
      odd[kernel - 1 - tap] = -odd[tap]!;
    }
    even[half] = 1;
  }
  return filters;
}
