import { MillraceError } from "../shared/errors.ts";
import type { ResampleQuality } from "./audio.ts";
import { makeResampleKernel, type ResampleKernel } from "./resample-kernel.ts";

export interface ResampleOptions {
  /** The filter: `standard` (default) or `best`. */
  readonly quality?: ResampleQuality;
}

const kernels = new Map<string, ResampleKernel>();
// A corpus has a handful of rates; the oldest goes where something makes up new ones for ever.
const mostKernels = 16;

/**
 * Changes the sample rate of one channel, equal to `torchaudio.functional.resample` up to rounding, length included.
 * Samples that need no change are returned as they are, not copied.
 */
export function resample(samples: Float32Array, from: number, to: number, options: ResampleOptions = {}): Float32Array {
  const { quality = "standard" } = options;
  checkRates(from, to, quality);
  if (from === to || samples.length === 0) return samples;
  const kernel = kernelOf(from, to, quality);
  const { input, output, taps, table } = kernel;
  const out = new Float32Array(Math.ceil((samples.length * output) / input));
  const firstTaps = table === undefined ? undefined : Int32Array.from({ length: output }, (_, i) => kernel.firstTap(i));
  const scratch = table ?? new Float64Array(taps);
  for (let index = 0, phase = 0, period = 0; index < out.length; index++) {
    if (table === undefined) kernel.fill(phase, scratch, 0);
    const first = period + (firstTaps?.[phase] ?? kernel.firstTap(phase));
    const row = table === undefined ? 0 : phase * taps;
    const isInside = first >= 0 && first + taps <= samples.length;
    out[index] = isInside
      ? filterInside(samples, first, scratch, row, taps)
      : filterEdge(samples, first, scratch, row, taps);
    if (++phase === output) {
      phase = 0;
      period += input;
    }
  }
  return out;
}

/** The inner loop: two sums, because one would wait for itself. */
function filterInside(samples: Float32Array, first: number, table: Float64Array, row: number, taps: number): number {
  let [even, odd] = [0, 0];
  let tap = 0;
  for (const last = taps - 1; tap < last; tap += 2) {
    even += samples[first + tap]! * table[row + tap]!;
    odd += samples[first + tap + 1]! * table[row + tap + 1]!;
  }
  return tap < taps ? even + odd + samples[first + tap]! * table[row + tap]! : even + odd;
}

/** Before the first sample and behind the last there is silence. */
function filterEdge(samples: Float32Array, first: number, table: Float64Array, row: number, taps: number): number {
  let sum = 0;
  const end = Math.min(taps, samples.length - first);
  for (let tap = Math.max(0, -first); tap < end; tap++) sum += samples[first + tap]! * table[row + tap]!;
  return sum;
}

function kernelOf(from: number, to: number, quality: ResampleQuality): ResampleKernel {
  const key = `${from} ${to} ${quality}`;
  let kernel = kernels.get(key);
  if (kernel === undefined) {
    kernel = makeResampleKernel(from, to, quality);
    if (kernels.size === mostKernels) kernels.delete(kernels.keys().next().value!);
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
