import type { ComplexFft } from "./complex-fft.ts";

interface Pass {
  readonly radix: number;
  readonly blocks: number;
  readonly stride: number;
  /** For each block the powers 1 … radix - 1 of its root of unity, as (re, im). */
  readonly twiddles: Float64Array;
  /** The roots of unity of the radix itself, as (re, im). */
  readonly roots: Float64Array;
}

/**
 * A transform in passes that alternate between two buffers, so no reordering is needed at the end. The product of the
 * radices is the size; radix 4 has its own code, any other is summed directly.
 */
export function makeStockham(size: number, radices: readonly number[]): ComplexFft {
  const passes = planPasses(size, radices);
  const spare = new Float64Array(2 * size);
  return {
    size,
    transform(values) {
      let from = values;
      let to: Float64Array = spare;
      for (const pass of passes) {
        if (pass.radix === 4) passOfFour(from, to, pass);
        else passOfAny(from, to, pass);
        [from, to] = [to, from];
      }
      if (from !== values) values.set(from);
    },
  };
}

function planPasses(size: number, radices: readonly number[]): Pass[] {
  const passes: Pass[] = [];
  let [length, stride] = [size, 1];
  for (const radix of radices) {
    const blocks = length / radix;
    const twiddles = new Float64Array(2 * (radix - 1) * blocks);
    for (let block = 0, at = 0; block < blocks; block++) {
      for (let power = 1; power < radix; power++) {
        const angle = (-2 * Math.PI * ((block * power) % length)) / length;
        twiddles[at++] = Math.cos(angle);
        twiddles[at++] = Math.sin(angle);
      }
    }
    passes.push({ radix, blocks, stride, twiddles, roots: rootsOfUnity(radix) });
    length /= radix;
    stride *= radix;
  }
  return passes;
}

function passOfFour(from: Float64Array, to: Float64Array, { blocks, stride, twiddles }: Pass): void {
  const distance = 2 * blocks * stride;
  const step = 2 * stride;
  let [read, write, twiddle] = [0, 0, 0];
  for (let block = 0; block < blocks; block++) {
    const w1re = twiddles[twiddle]!;
    const w1im = twiddles[twiddle + 1]!;
    const w2re = twiddles[twiddle + 2]!;
    const w2im = twiddles[twiddle + 3]!;
    const w3re = twiddles[twiddle + 4]!;
    const w3im = twiddles[twiddle + 5]!;
    for (const end = read + step; read < end; read += 2, write += 2) {
      const are = from[read]!;
      const aim = from[read + 1]!;
      const bre = from[read + distance]!;
      const bim = from[read + distance + 1]!;
      const cre = from[read + 2 * distance]!;
      const cim = from[read + 2 * distance + 1]!;
      const dre = from[read + 3 * distance]!;
      const dim = from[read + 3 * distance + 1]!;
      const sumRe = are + cre;
      const sumIm = aim + cim;
      const differenceRe = are - cre;
      const differenceIm = aim - cim;
      const otherRe = bre + dre;
      const otherIm = bim + dim;
      const turnedRe = bim - dim;
      const turnedIm = dre - bre;
      to[write] = sumRe + otherRe;
      to[write + 1] = sumIm + otherIm;
      const y1re = differenceRe + turnedRe;
      const y1im = differenceIm + turnedIm;
      to[write + step] = y1re * w1re - y1im * w1im;
      to[write + step + 1] = y1re * w1im + y1im * w1re;
      const y2re = sumRe - otherRe;
      const y2im = sumIm - otherIm;
      to[write + 2 * step] = y2re * w2re - y2im * w2im;
      to[write + 2 * step + 1] = y2re * w2im + y2im * w2re;
      const y3re = differenceRe - turnedRe;
      const y3im = differenceIm - turnedIm;
      to[write + 3 * step] = y3re * w3re - y3im * w3im;
      to[write + 3 * step + 1] = y3re * w3im + y3im * w3re;
    }
    write += 3 * step;
    twiddle += 6;
  }
}

function passOfAny(from: Float64Array, to: Float64Array, { radix, blocks, stride, twiddles, roots }: Pass): void {
  const distance = 2 * blocks * stride;
  for (let block = 0; block < blocks; block++) {
    for (let q = 0; q < stride; q++) {
      const read = 2 * (q + stride * block);
      const write = 2 * (q + stride * radix * block);
      for (let k = 0; k < radix; k++) {
        let re = from[read]!;
        let im = from[read + 1]!;
        for (let j = 1; j < radix; j++) {
          const root = 2 * ((j * k) % radix);
          const xre = from[read + j * distance]!;
          const xim = from[read + j * distance + 1]!;
          re += xre * roots[root]! - xim * roots[root + 1]!;
          im += xre * roots[root + 1]! + xim * roots[root]!;
        }
        const twiddle = 2 * ((radix - 1) * block + k - 1);
        const wre = k === 0 ? 1 : twiddles[twiddle]!;
        const wim = k === 0 ? 0 : twiddles[twiddle + 1]!;
        to[write + 2 * k * stride] = re * wre - im * wim;
        to[write + 2 * k * stride + 1] = re * wim + im * wre;
      }
    }
  }
}

function rootsOfUnity(radix: number): Float64Array {
  const roots = new Float64Array(2 * radix);
  for (let j = 0; j < radix; j++) {
    roots[2 * j] = Math.cos((2 * Math.PI * j) / radix);
    roots[2 * j + 1] = -Math.sin((2 * Math.PI * j) / radix);
  }
  return roots;
}
