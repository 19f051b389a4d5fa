import { MillraceError } from "../errors/errors.ts";
import type { ResampleQuality } from "./audio.ts";
import { makeResampleKernel, type ResampleKernel } from "./resample-kernel.ts";

/** Options of {@link resample}. */
export interface ResampleOptions {
  /** The filter: `standard` (default) or `best`. */
  readonly quality?: ResampleQuality;
}

const kernels = new Map<string, ResampleKernel>();
// A corpus has a few rates; the oldest is removed if a program uses ever new ones.
const maxKernels = 16;

/**
 * Changes the sample rate of one channel, equal to `torchaudio.functional.resample` up to rounding, including the
 * length. If no change is needed, the same array is returned, not a copy.
 */
export function resample(samples: Float32Array, from: number, to: number, options: ResampleOptions = {}): Float32Array {
  const { quality = "standard" } = options;
  checkRates(from, to, quality);
  if (from === to || samples.length === 0) return samples;
  const kernel = kernelOf(from, to, quality);
  const out = new Float32Array(Math.ceil((samples.length * kernel.output) / kernel.input));
  if (kernel.table === undefined) filterOneByOne(samples, kernel, 0, out.length, out);
  else filterByTable(samples, kernel, kernel.table, out);
  return out;
}

// Four periods at a time: each coefficient is loaded once for four independent sums.
const periodsAtOnce = 4;

/** The middle of the signal uses the fast loop; the slow one handles filters that reach beyond an end. */
function filterByTable(samples: Float32Array, kernel: ResampleKernel, table: Float64Array, out: Float32Array): void {
  const { input, output, taps } = kernel;
  const firstTaps = Int32Array.from({ length: output }, (_, phase) => kernel.firstTap(phase));
  const firstPeriod = Math.ceil(Math.max(0, -firstTaps[0]!) / input);
  const reach = firstTaps[output - 1]! + taps;
  const inside = Math.floor((samples.length - reach) / input) - firstPeriod + 1;
  const groups = Math.max(
    0,
    Math.floor(Math.min(inside, Math.floor(out.length / output) - firstPeriod) / periodsAtOnce),
  );
  const [from, to] = [firstPeriod * output, (firstPeriod + groups * periodsAtOnce) * output];
  filterOneByOne(samples, kernel, 0, Math.min(from, out.length), out);
  for (let group = 0; group < groups; group++) {
    const period = firstPeriod + group * periodsAtOnce;
    for (let phase = 0, index = period * output; phase < output; phase++, index++) {
      const row = phase * taps;
      const at = period * input + firstTaps[phase]!;
      let [a, b, c, d] = [0, 0, 0, 0];
      for (let tap = 0; tap < taps; tap++) {
        const weight = table[row + tap]!;
        a += samples[at + tap]! * weight;
        b += samples[at + input + tap]! * weight;
        c += samples[at + 2 * input + tap]! * weight;
        d += samples[at + 3 * input + tap]! * weight;
      }
      out[index] = a;
      out[index + output] = b;
      out[index + 2 * output] = c;
      out[index + 3 * output] = d;
    }
  }
  filterOneByOne(samples, kernel, Math.min(Math.max(from, to), out.length), out.length, out);
}

/** Before the first and after the last sample there is silence. */
function filterOneByOne(
  samples: Float32Array,
  kernel: ResampleKernel,
  from: number,
  to: number,
  out: Float32Array,
): void {
  const { input, output, taps, table } = kernel;
  const weights = table ?? new Float64Array(taps);
  for (let index = from; index < to; index++) {
    const phase = index % output;
    const first = Math.floor(index / output) * input + kernel.firstTap(phase);
    const row = table === undefined ? 0 : phase * taps;
    if (table === undefined) kernel.fill(phase, weights, 0);
    const end = Math.min(taps, samples.length - first);
    let sum = 0;
    for (let tap = Math.max(0, -first); tap < end; tap++) sum += samples[first + tap]! * weights[row + tap]!;
    out[index] = sum;
  }
}

function kernelOf(from: number, to: number, quality: ResampleQuality): ResampleKernel {
  const key = `${from} ${to} ${quality}`;
  let kernel = kernels.get(key);
  if (kernel === undefined) {
    kernel = makeResampleKernel(from, to, quality);
    if (kernels.size === maxKernels) kernels.delete(kernels.keys().next().value!);
    kernels.set(key, kernel);
  }
  return kernel;
}

function checkRates(from: number, to: number, quality: string): void {
  const isRate = (rate: number) => Number.isInteger(rate) && rate >= 1 && rate <= 10_000_000;
  if (!isRate(from) || !isRate(to)) {
    throw new MillraceError("BAD_OPTION", `cannot resample from ${from} to ${to} Hz`, {
      hint: "sample rates are whole numbers of 1 or more",
    });
  }
  if (quality !== "standard" && quality !== "best") {
    throw new MillraceError("BAD_OPTION", `there is no resampling of quality "${quality}"`, {
      hint: 'use "standard" or "best"',
    });
  }
}
