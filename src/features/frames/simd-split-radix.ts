import * as w from "../../wasm/wasm-code.ts";
import type { Transform } from "./simd-fft.ts";

const valueBytes = 32;
const imaginary = 16;

/** True if Kaldi has a transform for this many complex values: a power of two from 2 on. */
export function isSplitRadixSize(size: number): boolean {
  return size >= 2 && Number.isInteger(Math.log2(size));
}

/**
 * Factors for each size from 16 on: c, -(s + c) and s - c for each value of the third and fourth quarter, which give a
 * complex product with three multiplications. Angles are rounded to float32 before the cosine, as in Kaldi.
 */
export function splitRadixTwiddles(largest: number): Float32Array[] {
  const tables: Float32Array[] = [];
  for (let size = 16; size <= largest; size *= 2) {
    const factors: number[] = [];
    for (let n = 1; n < size / 4; n++) {
      if (n === size / 8) continue;
      for (const multiple of [n, 3 * n]) {
        const angle = Math.fround((multiple * 2 * Math.PI) / size);
        const [c, s] = [Math.fround(Math.cos(angle)), Math.fround(Math.sin(angle))];
        factors.push(c, -(s + c), s - c);
      }
    }
    tables.push(Float32Array.from(factors));
  }
  return tables;
}

/**
 * Kaldi's transform, in place: a size is split into one of half and two of a quarter, and the results are in
 * bit-reversed order. The features of quiet frames depend on the order of operations.
 */
export function emitSplitRadix(
  size: number,
  layout: { readonly work: readonly [number, number]; readonly passTwiddles: readonly number[] },
  firstIndex: number,
): Transform {
  const bits = Math.log2(size);
  // The function for 2^level values has the number firstIndex + bits - level: the largest is the first.
  const indexOf = (level: number) => firstIndex + bits - level;
  const functions = Array.from({ length: bits }, (_, i) =>
    emitLevel(bits - i, indexOf, (level) => layout.passTwiddles[level - 4]!),
  );
  return { functions, result: layout.work[0], placeOf: (k) => reverseBits(k, bits) };
}

function reverseBits(value: number, bits: number): number {
  let reversed = 0;
  for (let bit = 0; bit < bits; bit++) if (value & (1 << bit)) reversed |= 1 << (bits - 1 - bit);
  return reversed;
}

interface Registers {
  readonly re: readonly w.Local[];
  readonly im: readonly w.Local[];
  readonly spare: readonly w.Local[];
}

function emitLevel(
  level: number,
  indexOf: (level: number) => number,
  twiddlesOf: (level: number) => number,
): w.ModuleFunction {
  const locals = w.makeLocals();
  const values = 0;
  const [at, twiddle, count] = [locals.i32(), locals.i32(), locals.i32()];
  const vectors = (n: number) => Array.from({ length: n }, () => locals.v128());
  const registers = { re: vectors(4), im: vectors(4), spare: vectors(4) };
  const size = 2 ** level;
  if (level === 1) return { locals, body: emitPair(values, 0, registers) };
  const quarter = size / 4;
  const loop = [
    ...emitQuarters(at, 0, quarter, registers, { kind: "table", twiddle }),
    ...w.advance(at, valueBytes),
    ...w.advance(twiddle, 24),
  ];
  // One value with factors of 1, one with those of 45 degrees; the others use the table.
  const between = size / 8 - 1;
  const body = [
    ...emitQuarters(values, 0, quarter, registers, { kind: "none" }),
    ...(level < 3 ? [] : emitQuarters(values, (size / 8) * valueBytes, quarter, registers, { kind: "half" })),
    ...(level < 4
      ? []
      : [
          ...w.set(twiddle, w.int(twiddlesOf(level))),
          ...w.set(at, w.sumOf(w.get(values), w.int(valueBytes))),
          ...w.repeat(count, w.int(between), loop),
          ...w.advance(at, valueBytes),
          ...w.repeat(count, w.int(between), loop),
        ]),
    ...(level === 2 ? emitPair(values, 0, registers) : w.call(indexOf(level - 1), w.get(values))),
    ...(level === 2 ? [] : emitQuarterCalls(level, values, quarter, registers, indexOf)),
  ];
  return { locals, body };
}

function emitQuarterCalls(
  level: number,
  values: w.Local,
  quarter: number,
  registers: Registers,
  indexOf: (level: number) => number,
): w.Code {
  return [2, 3].flatMap((part) => {
    const offset = part * quarter * valueBytes;
    if (level === 3) return emitPair(values, offset, registers);
    return w.call(indexOf(level - 2), w.sumOf(w.get(values), w.int(offset)));
  });
}

/** The transform of two values. */
function emitPair(values: w.Local, offset: number, { re, im }: Registers): w.Code {
  const [first, second] = [offset, offset + valueBytes];
  return [
    ...w.set(re[0]!, w.load(values, first)),
    ...w.set(re[1]!, w.load(values, second)),
    ...w.set(im[0]!, w.load(values, first + imaginary)),
    ...w.set(im[1]!, w.load(values, second + imaginary)),
    ...w.store(values, first, w.add(w.get(re[0]!), w.get(re[1]!))),
    ...w.store(values, second, w.sub(w.get(re[0]!), w.get(re[1]!))),
    ...w.store(values, first + imaginary, w.add(w.get(im[0]!), w.get(im[1]!))),
    ...w.store(values, second + imaginary, w.sub(w.get(im[0]!), w.get(im[1]!))),
  ];
}

type Factors =
  | { readonly kind: "none" }
  | { readonly kind: "half" }
  | { readonly kind: "table"; readonly twiddle: w.Local };

/** Value n of each quarter: sums for the remaining half, rotated differences for the two quarters. */
function emitQuarters(at: w.Local, offset: number, quarter: number, registers: Registers, factors: Factors): w.Code {
  const { re, im, spare } = registers;
  const place = (part: number) => offset + part * quarter * valueBytes;
  const g = w.get;
  return [
    ...[0, 1, 2, 3].flatMap((part) => [
      ...w.set(re[part]!, w.load(at, place(part))),
      ...w.set(im[part]!, w.load(at, place(part) + imaginary)),
    ]),
    ...w.store(at, place(0), w.add(g(re[0]!), g(re[2]!))),
    ...w.store(at, place(0) + imaginary, w.add(g(im[0]!), g(im[2]!))),
    ...w.store(at, place(1), w.add(g(re[1]!), g(re[3]!))),
    ...w.store(at, place(1) + imaginary, w.add(g(im[1]!), g(im[3]!))),
    ...w.set(re[0]!, w.sub(g(re[0]!), g(re[2]!))),
    ...w.set(im[0]!, w.sub(g(im[0]!), g(im[2]!))),
    ...w.set(re[1]!, w.sub(g(re[1]!), g(re[3]!))),
    ...w.set(im[1]!, w.sub(g(im[1]!), g(im[3]!))),
    ...w.set(spare[0]!, w.add(g(re[0]!), g(im[1]!))),
    ...w.set(spare[1]!, w.sub(g(im[0]!), g(re[1]!))),
    ...w.set(spare[2]!, w.sub(g(re[0]!), g(im[1]!))),
    ...w.set(spare[3]!, w.add(g(im[0]!), g(re[1]!))),
    ...emitTurned(at, place(2), [spare[0]!, spare[1]!], factors, { register: re[0]!, table: 0, sign: 1 }),
    ...emitTurned(at, place(3), [spare[2]!, spare[3]!], factors, { register: re[0]!, table: 12, sign: -1 }),
  ];
}

function emitTurned(
  at: w.Local,
  offset: number,
  [re, im]: readonly [w.Local, w.Local],
  factors: Factors,
  use: { readonly register: w.Local; readonly table: number; readonly sign: 1 | -1 },
): w.Code {
  const g = w.get;
  const both = (first: w.Code, second: w.Code) => [
    ...w.store(at, offset, first),
    ...w.store(at, offset + imaginary, second),
  ];
  if (factors.kind === "none") return both(g(re), g(im));
  if (factors.kind === "half") {
    const root = w.splat(Math.SQRT1_2);
    const [sum, difference] = [w.mul(root, w.add(g(re), g(im))), w.mul(root, w.sub(g(im), g(re)))];
    return use.sign === 1 ? both(sum, difference) : both(difference, w.negate(sum));
  }
  const { register: t } = use;
  const factor = (i: number) => w.loadSplat(factors.twiddle, use.table + 4 * i);
  return [
    ...w.set(t, w.mul(factor(0), w.add(g(re), g(im)))),
    ...both(w.add(w.mul(factor(2), g(im)), g(t)), w.add(w.mul(factor(1), g(re)), g(t))),
  ];
}
