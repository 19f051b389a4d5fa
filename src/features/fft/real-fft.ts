import { MillraceError } from "../../errors/errors.ts";
import { makeBluestein } from "./bluestein.ts";
import type { ComplexFft } from "./complex-fft.ts";
import { makeStockham } from "./stockham.ts";

/**
 * The transform of real samples of one size. It owns its tables and buffers: create it once, use it for every frame.
 */
export interface RealFft {
  readonly size: number;
  /** Number of bins, from 0 Hz to half the sample rate: `floor(size / 2) + 1`. */
  readonly bins: number;
  /** Writes bins as (re, im) pairs into `spectrum`, which needs `2 * bins` elements. Missing samples count as 0. */
  transform(samples: Float64Array | Float32Array, spectrum: Float64Array): void;
}

/** Creates a transform of real samples in float64, of any size from 1. An even size costs half as much. */
export function makeRealFft(size: number): RealFft {
  if (!Number.isSafeInteger(size) || size < 1 || size > 2 ** 26)
    throw new MillraceError("BAD_OPTION", `A transform cannot have the size ${size}.`, {
      hint: "Give a whole number from 1 to 67108864.",
    });
  return size % 2 === 0 ? makeEven(size) : makeOdd(size);
}

function makeOdd(size: number): RealFft {
  const fft = makeComplexFft(size);
  const values = new Float64Array(2 * size);
  const bins = (size >> 1) + 1;
  return {
    size,
    bins,
    transform(samples, spectrum) {
      values.fill(0);
      const count = Math.min(size, samples.length);
      for (let i = 0; i < count; i++) values[2 * i] = samples[i]!;
      fft.transform(values);
      spectrum.set(values.subarray(0, 2 * bins));
    },
  };
}

// Pairs of samples are taken as complex values: bins k and half - k of one transform of half the size give both.
function makeEven(size: number): RealFft {
  const half = size / 2;
  const fft = makeComplexFft(half);
  const values = new Float64Array(size);
  const twiddles = new Float64Array(2 * ((half >> 1) + 1));
  for (let k = 0; k <= half >> 1; k++) {
    twiddles[2 * k] = Math.cos((Math.PI * k) / half);
    twiddles[2 * k + 1] = -Math.sin((Math.PI * k) / half);
  }
  return {
    size,
    bins: half + 1,
    transform(samples, spectrum) {
      const count = Math.min(size, samples.length);
      for (let i = 0; i < count; i++) values[i] = samples[i]!;
      values.fill(0, count);
      fft.transform(values);
      spectrum[0] = values[0]! + values[1]!;
      spectrum[1] = 0;
      spectrum[size] = values[0]! - values[1]!;
      spectrum[size + 1] = 0;
      for (let k = 1; k <= half >> 1; k++) {
        const low = 2 * k;
        const high = size - low;
        const evenRe = 0.5 * (values[low]! + values[high]!);
        const evenIm = 0.5 * (values[low + 1]! - values[high + 1]!);
        const oddRe = 0.5 * (values[low + 1]! + values[high + 1]!);
        const oddIm = 0.5 * (values[high]! - values[low]!);
        const re = oddRe * twiddles[low]! - oddIm * twiddles[low + 1]!;
        const im = oddRe * twiddles[low + 1]! + oddIm * twiddles[low]!;
        spectrum[high] = evenRe - re;
        spectrum[high + 1] = im - evenIm;
        spectrum[low] = evenRe + re;
        spectrum[low + 1] = evenIm + im;
      }
    },
  };
}

/** A transform of any size: in passes if its factors are small, otherwise as a convolution. */
function makeComplexFft(size: number): ComplexFft {
  const radices = factorize(size);
  return radices === undefined ? makeBluestein(size) : makeStockham(size, radices);
}

const maxRadix = 13;

/** The factors of a size, fours first. Undefined if one is too large for a pass. */
function factorize(size: number): number[] | undefined {
  const radices: number[] = [];
  let rest = size;
  for (const radix of [4, 2, 3, 5, 7, 11, maxRadix]) {
    while (rest % radix === 0) {
      radices.push(radix);
      rest /= radix;
    }
  }
  return rest === 1 ? radices : undefined;
}
