import type { ResampleQuality } from "./audio.ts";

/** A bank of short filters, one for each position of an output sample between two input samples. */
export interface ResampleKernel {
  /** Both rates divided by their greatest common divisor: `input` samples become `output` samples in each period. */
  readonly input: number;
  readonly output: number;
  readonly taps: number;
  /** All filters concatenated; undefined if they would take too much memory. */
  readonly table: Float64Array | undefined;
  /** The input sample of the first tap of filter `phase`, relative to the start of its period. */
  firstTap(phase: number): number;
  /** Writes filter `phase` to `out` at `at`. */
  fill(phase: number, out: Float64Array, at: number): void;
}

// The two filters and their parameters are torchaudio's: its default, and "kaiser_best" of its documentation.
const filters = {
  standard: { width: 6, rolloff: 0.99, window: hann },
  best: { width: 64, rolloff: 0.9475937167399596, window: kaiser(14.769656459379492) },
} as const;

const maxTableEntries = 2 ** 22;

/** Computes the filters of a pair of rates: a windowed sinc with a cutoff slightly below half the lower rate. */
export function makeResampleKernel(from: number, to: number, quality: ResampleQuality): ResampleKernel {
  const divisor = greatestCommonDivisor(from, to);
  const [input, output] = [from / divisor, to / divisor];
  const { width, rolloff, window } = filters[quality];
  const cutoff = Math.min(input, output) * rolloff;
  // Half of the filter's length, in input samples.
  const reach = (width * input) / cutoff;
  const taps = Math.floor(2 * reach) + 1;
  const firstTap = (phase: number) => Math.ceil((phase * input) / output - reach);
  const scale = cutoff / input;
  const fill = (phase: number, out: Float64Array, at: number) => {
    const first = firstTap(phase);
    for (let tap = 0; tap < taps; tap++) {
      const time = ((first + tap) / input - phase / output) * cutoff;
      // One filter may have one tap less than its neighbour.
      out[at + tap] = Math.abs(time) >= width ? 0 : sinc(time) * window(time / width) * scale;
    }
  };
  const isSmall = output * taps <= maxTableEntries;
  const table = isSmall ? new Float64Array(output * taps) : undefined;
  if (table !== undefined) for (let phase = 0; phase < output; phase++) fill(phase, table, phase * taps);
  return { input, output, taps, table, firstTap, fill };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

function sinc(time: number): number {
  return time === 0 ? 1 : Math.sin(Math.PI * time) / (Math.PI * time);
}

/** Windows from -1 to 1. */
function hann(x: number): number {
  return Math.cos((x * Math.PI) / 2) ** 2;
}

function kaiser(beta: number): (x: number) => number {
  const whole = besselI0(beta);
  return (x) => besselI0(beta * Math.sqrt(1 - x * x)) / whole;
}

/** The modified Bessel function of order zero, by its series. */
function besselI0(x: number): number {
  let [sum, term] = [1, 1];
  for (let k = 1; term > sum * 1e-17; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}
