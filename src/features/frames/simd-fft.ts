import * as w from "../../wasm/wasm-code.ts";

/**
 * One pass of the transform: combines `radix` values at a distance, for `blocks` twiddles with `stride` values each.
 */
export interface PassPlan {
  readonly radix: 2 | 3 | 4 | 5;
  /** Length of the transforms before this pass. */
  readonly length: number;
  readonly blocks: number;
  readonly stride: number;
}

const valueBytes = 32;
const imaginary = 16;

/** True if a transform of this many complex values can be done in passes of 2, 3, 4 and 5. */
export function hasPasses(size: number): boolean {
  let rest = size;
  for (const radix of [2, 3, 5]) while (rest % radix === 0) rest /= radix;
  return size >= 1 && rest === 1;
}

export function planPasses(size: number): PassPlan[] {
  const passes: PassPlan[] = [];
  let length = size;
  let stride = 1;
  while (length > 1) {
    const radix = ([4, 5, 3, 2] as const).find((candidate) => length % candidate === 0)!;
    passes.push({ radix, length, blocks: length / radix, stride });
    length /= radix;
    stride *= radix;
  }
  return passes;
}

/** The factors of a pass: for each block the powers 1 … radix - 1 of its root of unity, as (re, im). */
export function fftTwiddles({ radix, length, blocks }: PassPlan): Float32Array {
  const values = new Float32Array(2 * (radix - 1) * blocks);
  let at = 0;
  for (let block = 0; block < blocks; block++) {
    for (let power = 1; power < radix; power++) {
      const angle = (-2 * Math.PI * ((block * power) % length)) / length;
      values[at++] = Math.cos(angle);
      values[at++] = Math.sin(angle);
    }
  }
  return values;
}

/** A complex value in two locals. */
interface Complex {
  readonly re: w.Local;
  readonly im: w.Local;
}

/** A transform of four frames in the memory of a kernel. */
export interface Transform {
  /** The first function transforms the values at the given address. */
  readonly functions: readonly w.ModuleFunction[];
  /** The address of the result, and the position of bin k in it. */
  readonly result: number;
  readonly placeOf: (k: number) => number;
}

/** The transform, alternating between two buffers with each pass (Stockham), so no reordering is needed. */
export function emitFft(
  passes: readonly PassPlan[],
  layout: { readonly work: readonly [number, number]; readonly passTwiddles: readonly number[] },
): Transform {
  const locals = w.makeLocals();
  const complex = (): Complex => ({ re: locals.v128(), im: locals.v128() });
  const registers = {
    from: locals.i32(),
    to: locals.i32(),
    twiddle: locals.i32(),
    blocks: locals.i32(),
    strides: locals.i32(),
    values: [complex(), complex(), complex(), complex(), complex()],
    factors: [complex(), complex(), complex(), complex()],
    spare: [complex(), complex(), complex(), complex()],
  };
  const body = passes.flatMap((pass, i) =>
    emitPass(pass, registers, {
      from: layout.work[i % 2]!,
      to: layout.work[(i + 1) % 2]!,
      twiddles: layout.passTwiddles[i]!,
    }),
  );
  return { functions: [{ locals, body }], result: layout.work[passes.length % 2]!, placeOf: (k) => k };
}

interface Registers {
  readonly from: w.Local;
  readonly to: w.Local;
  readonly twiddle: w.Local;
  readonly blocks: w.Local;
  readonly strides: w.Local;
  readonly values: readonly Complex[];
  readonly factors: readonly Complex[];
  readonly spare: readonly Complex[];
}

function emitPass(
  pass: PassPlan,
  registers: Registers,
  at: { readonly from: number; readonly to: number; readonly twiddles: number },
): w.Code {
  const { radix, blocks, stride } = pass;
  const { from, to, twiddle } = registers;
  const values = registers.values.slice(0, radix);
  // The last pass has one block, whose factors are all 1.
  const factors = blocks === 1 ? [] : registers.factors.slice(0, radix - 1);
  const distance = blocks * stride * valueBytes;
  const inner = [
    ...values.flatMap((value, i) => [
      ...w.set(value.re, w.load(from, i * distance)),
      ...w.set(value.im, w.load(from, i * distance + imaginary)),
    ]),
    ...butterflies[radix](registers),
    ...values.flatMap((value, i) => emitStore(to, i * stride * valueBytes, value, factors[i - 1])),
    ...w.advance(from, valueBytes),
    ...w.advance(to, valueBytes),
  ];
  const block = [
    ...factors.flatMap((factor, i) => [
      ...w.set(factor.re, w.loadSplat(twiddle, 8 * i)),
      ...w.set(factor.im, w.loadSplat(twiddle, 8 * i + 4)),
    ]),
    ...(stride === 1 ? inner : w.repeat(registers.strides, w.int(stride), inner)),
    ...w.advance(to, (radix - 1) * stride * valueBytes),
    ...w.advance(twiddle, 8 * (radix - 1)),
  ];
  return [
    ...w.set(from, w.int(at.from)),
    ...w.set(to, w.int(at.to)),
    ...w.set(twiddle, w.int(at.twiddles)),
    ...(blocks === 1 ? block : w.repeat(registers.blocks, w.int(blocks), block)),
  ];
}

function emitStore(to: w.Local, offset: number, { re, im }: Complex, factor: Complex | undefined): w.Code {
  const g = w.get;
  if (factor === undefined) return [...w.store(to, offset, g(re)), ...w.store(to, offset + imaginary, g(im))];
  return [
    ...w.store(to, offset, w.sub(w.mul(g(re), g(factor.re)), w.mul(g(im), g(factor.im)))),
    ...w.store(to, offset + imaginary, w.add(w.mul(g(re), g(factor.im)), w.mul(g(im), g(factor.re)))),
  ];
}

function setBoth(target: Complex, operator: (a: w.Code, b: w.Code) => w.Code, a: Complex, b: Complex): w.Code {
  return [
    ...w.set(target.re, operator(w.get(a.re), w.get(b.re))),
    ...w.set(target.im, operator(w.get(a.im), w.get(b.im))),
  ];
}

/** `target = a - i b` (or `a + i b`): a quarter turn is a swap. */
function setTurned(target: Complex, a: Complex, b: Complex, turn: "minus" | "plus"): w.Code {
  const [first, second] = turn === "minus" ? [w.add, w.sub] : [w.sub, w.add];
  return [...w.set(target.re, first(w.get(a.re), w.get(b.im))), ...w.set(target.im, second(w.get(a.im), w.get(b.re)))];
}

/** `target = start +` a sum of `factor * value`. */
function setScaledSum(target: Complex, start: Complex, terms: readonly (readonly [number, Complex])[]): w.Code {
  const part = (key: "re" | "im") =>
    terms.reduce((sum, [factor, value]) => w.add(sum, w.mul(w.splat(factor), w.get(value[key]))), w.get(start[key]));
  return [...w.set(target.re, part("re")), ...w.set(target.im, part("im"))];
}

/** `target =` a sum of `factor * value`. */
function setScaled(target: Complex, ...terms: readonly (readonly [number, Complex])[]): w.Code {
  const part = (key: "re" | "im") =>
    terms.map(([factor, value]) => w.mul(w.splat(factor), w.get(value[key]))).reduce((sum, term) => w.add(sum, term));
  return [...w.set(target.re, part("re")), ...w.set(target.im, part("im"))];
}

/** Transforms of a few values in place, by sums and differences of opposite values. */
const butterflies: Record<PassPlan["radix"], (registers: Registers) => w.Code> = {
  2: ({ values: [a, b], spare: [t] }) => [
    ...setBoth(t!, w.sub, a!, b!),
    ...setBoth(a!, w.add, a!, b!),
    ...copy(b!, t!),
  ],
  3: ({ values: [a, b, c], spare: [sum, difference, centre] }) => [
    ...setBoth(sum!, w.add, b!, c!),
    ...setBoth(difference!, w.sub, b!, c!),
    ...setScaledSum(centre!, a!, [[Math.cos((2 * Math.PI) / 3), sum!]]),
    ...setBoth(a!, w.add, a!, sum!),
    ...setScaled(difference!, [Math.sin((2 * Math.PI) / 3), difference!]),
    ...setTurned(b!, centre!, difference!, "minus"),
    ...setTurned(c!, centre!, difference!, "plus"),
  ],
  4: ({ values: [a, b, c, d], spare: [sumAc, differenceAc, sumBd, differenceBd] }) => [
    ...setBoth(sumAc!, w.add, a!, c!),
    ...setBoth(differenceAc!, w.sub, a!, c!),
    ...setBoth(sumBd!, w.add, b!, d!),
    ...setBoth(differenceBd!, w.sub, b!, d!),
    ...setBoth(a!, w.add, sumAc!, sumBd!),
    ...setTurned(b!, differenceAc!, differenceBd!, "minus"),
    ...setBoth(c!, w.sub, sumAc!, sumBd!),
    ...setTurned(d!, differenceAc!, differenceBd!, "plus"),
  ],
  5: ({ values: [a, b, c, d, e], spare: [sumBe, differenceBe, sumCd, differenceCd] }) => {
    const cos = [1, 2].map((k) => Math.cos((2 * Math.PI * k) / 5)) as [number, number];
    const sin = [1, 2].map((k) => Math.sin((2 * Math.PI * k) / 5)) as [number, number];
    return [
      ...setBoth(sumBe!, w.add, b!, e!),
      ...setBoth(differenceBe!, w.sub, b!, e!),
      ...setBoth(sumCd!, w.add, c!, d!),
      ...setBoth(differenceCd!, w.sub, c!, d!),
      // b and c hold the real centres of the pairs (1, 4) and (2, 3), d and e their distances from them.
      ...setScaledSum(b!, a!, [
        [cos[0], sumBe!],
        [cos[1], sumCd!],
      ]),
      ...setScaledSum(c!, a!, [
        [cos[1], sumBe!],
        [cos[0], sumCd!],
      ]),
      ...setBoth(a!, w.add, a!, sumBe!),
      ...setBoth(a!, w.add, a!, sumCd!),
      ...setScaled(sumBe!, [sin[0], differenceBe!], [sin[1], differenceCd!]),
      ...setScaled(sumCd!, [sin[1], differenceBe!], [-sin[0], differenceCd!]),
      ...setTurned(e!, b!, sumBe!, "plus"),
      ...setTurned(b!, b!, sumBe!, "minus"),
      ...setTurned(d!, c!, sumCd!, "plus"),
      ...setTurned(c!, c!, sumCd!, "minus"),
    ];
  },
};

function copy(to: Complex, from: Complex): w.Code {
  return [...w.set(to.re, w.get(from.re)), ...w.set(to.im, w.get(from.im))];
}
