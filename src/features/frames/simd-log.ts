import * as w from "../../wasm/wasm-code.ts";

/**
 * The natural logarithm of four positive floats in place. A float is 2^e * m with m from sqrt(1/2) to sqrt(2), and ln m
 * = 2 (s + s^3/3 + s^5/5 + …) with s = (m - 1) / (m + 1) at most 0.172: five terms are exact to a float's last bit.
 * Infinity and NaN are unchanged.
 */
export function emitLog(locals: w.Locals, value: w.Local): w.Code {
  const [exponent, mantissa, s, square] = [locals.v128(), locals.v128(), locals.v128(), locals.v128()];
  const rootHalf = new Int32Array(Float32Array.of(Math.SQRT1_2).buffer)[0]!;
  const g = w.get;
  const series = [1 / 9, 1 / 7, 1 / 5, 1 / 3].map((term) => w.splat(2 * term));
  const sum = series.reduce((inner, term) => w.add(term, w.mul(g(square), inner)));
  // ln 2 in two parts: the first is exact when multiplied by any exponent.
  const [ln2High, ln2Low] = [0.693_359_375, Math.LN2 - 0.693_359_375];
  const result = w.add(
    w.add(w.mul(g(s), w.mul(g(square), sum)), w.mul(g(exponent), w.splat(ln2Low))),
    w.add(w.mul(g(s), w.splat(2)), w.mul(g(exponent), w.splat(ln2High))),
  );
  return [
    ...w.set(exponent, w.subInts(g(value), w.splatInt(rootHalf))),
    ...w.set(exponent, w.shiftRight(g(exponent), 23)),
    // The same float without its exponent.
    ...w.set(
      mantissa,
      w.addInts(w.and(w.subInts(g(value), w.splatInt(rootHalf)), w.splatInt(0x7fffff)), w.splatInt(rootHalf)),
    ),
    ...w.set(exponent, w.toFloats(g(exponent))),
    ...w.set(s, w.div(w.sub(g(mantissa), w.splat(1)), w.add(g(mantissa), w.splat(1)))),
    ...w.set(square, w.mul(g(s), g(s))),
    ...w.set(value, w.choose(w.lessThan(g(value), w.splat(Number.POSITIVE_INFINITY)), result, g(value))),
  ];
}
