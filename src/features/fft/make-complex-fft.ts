import { makeBluestein } from "./bluestein.ts";
import type { ComplexFft } from "./complex-fft.ts";
import { makeStockham } from "./stockham.ts";

/** A transform of any size: in passes if its factors are small, otherwise as a convolution. */
export function makeComplexFft(size: number): ComplexFft {
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
