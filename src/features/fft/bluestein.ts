import type { ComplexFft } from "./complex-fft.ts";
import { makeStockham } from "./stockham.ts";

/**
 * A transform of any size as a convolution with a chirp, computed by transforms of a power of two (Bluestein): k n =
 * (k^2 + n^2 - (k - n)^2) / 2.
 */
export function makeBluestein(size: number): ComplexFft {
  const bits = Math.ceil(Math.log2(2 * size - 1));
  const length = 2 ** bits;
  const inner = makeStockham(length, [...Array<number>(bits >> 1).fill(4), ...(bits % 2 === 1 ? [2] : [])]);
  const chirp = makeChirp(size);
  const kernel = new Float64Array(2 * length);
  for (let n = 0; n < size; n++) {
    for (const at of n === 0 ? [0] : [n, length - n]) {
      kernel[2 * at] = chirp[2 * n]!;
      kernel[2 * at + 1] = -chirp[2 * n + 1]!;
    }
  }
  inner.transform(kernel);
  const work = new Float64Array(2 * length);
  return {
    size,
    transform(values) {
      work.fill(0, 2 * size);
      multiply(work, values, chirp, size);
      inner.transform(work);
      // The inverse transform by the forward one: conjugate before, and conjugate and divide in the last step.
      multiply(work, work, kernel, length);
      for (let i = 1; i < 2 * length; i += 2) work[i] = -work[i]!;
      inner.transform(work);
      for (let i = 0; i < 2 * size; i += 2) {
        work[i] = work[i]! / length;
        work[i + 1] = -work[i + 1]! / length;
      }
      multiply(values, work, chirp, size);
    },
  };
}

/** e^(-pi i n^2 / size). n^2 is reduced modulo 2 size first, because the cosine of a large angle is less exact. */
function makeChirp(size: number): Float64Array {
  const chirp = new Float64Array(2 * size);
  for (let n = 0; n < size; n++) {
    const angle = (-Math.PI * ((n * n) % (2 * size))) / size;
    chirp[2 * n] = Math.cos(angle);
    chirp[2 * n + 1] = Math.sin(angle);
  }
  return chirp;
}

/** `to = a * b`, element by element; `to` may be `a`. */
function multiply(to: Float64Array, a: Float64Array, b: Float64Array, count: number): void {
  for (let i = 0; i < 2 * count; i += 2) {
    const re = a[i]! * b[i]! - a[i + 1]! * b[i + 1]!;
    to[i + 1] = a[i]! * b[i + 1]! + a[i + 1]! * b[i]!;
    to[i] = re;
  }
}
