import { type BitReader, FlacDamage } from "./bit-reader.ts";
import { type Plane, readResidual } from "./read-residual.ts";

const coefficients = new Int32Array(32);

/** Decodes one channel of a frame into `out`. */
export function decodeSubframe(reader: BitReader, out: Plane, blockSize: number, frameBits: number): void {
  if (reader.read(1) !== 0) throw new FlacDamage("a subframe without its zero bit");
  const type = reader.read(6);
  const wasted = reader.read(1) === 1 ? reader.readUnary() + 1 : 0;
  const bits = frameBits - wasted;
  if (bits < 1) throw new FlacDamage("more wasted bits than there are");
  if (type === 0) out.fill(reader.readSigned(bits), 0, blockSize);
  else if (type === 1) for (let i = 0; i < blockSize; i++) out[i] = reader.readSigned(bits);
  else if (type >= 8 && type <= 12) decodeFixed(reader, out, blockSize, bits, type - 8);
  else if (type >= 32) decodeLinear(reader, out, blockSize, bits, type - 31);
  else throw new FlacDamage("an unknown kind of subframe");
  reader.checkEnd();
  if (wasted > 0) for (let i = 0; i < blockSize; i++) out[i]! *= 2 ** wasted;
}

function readWarmUp(reader: BitReader, out: Plane, blockSize: number, bits: number, order: number): void {
  if (order > blockSize) throw new FlacDamage("a predictor longer than its block");
  for (let i = 0; i < order; i++) out[i] = reader.readSigned(bits);
}

/** The four fixed predictors: each takes one more difference. */
function decodeFixed(reader: BitReader, out: Plane, blockSize: number, bits: number, order: number): void {
  readWarmUp(reader, out, blockSize, bits, order);
  readResidual(reader, out, blockSize, order);
  if (order === 1) for (let i = 1; i < blockSize; i++) out[i]! += out[i - 1]!;
  if (order === 2) for (let i = 2; i < blockSize; i++) out[i]! += 2 * out[i - 1]! - out[i - 2]!;
  if (order === 3) for (let i = 3; i < blockSize; i++) out[i]! += 3 * out[i - 1]! - 3 * out[i - 2]! + out[i - 3]!;
  if (order === 4) {
    for (let i = 4; i < blockSize; i++) {
      out[i]! += 4 * out[i - 1]! - 6 * out[i - 2]! + 4 * out[i - 3]! - out[i - 4]!;
    }
  }
}

function decodeLinear(reader: BitReader, out: Plane, blockSize: number, bits: number, order: number): void {
  readWarmUp(reader, out, blockSize, bits, order);
  const precision = reader.read(4) + 1;
  const shift = reader.readSigned(5);
  if (precision === 16 || shift < 0) throw new FlacDamage("a predictor with an impossible precision");
  for (let i = 0; i < order; i++) coefficients[i] = reader.readSigned(precision);
  readResidual(reader, out, blockSize, order);
  // Sums of this width are exact in 32 bits; wider ones use double precision, exact up to 53.
  const sumBits = bits + precision + Math.ceil(Math.log2(order));
  if (out instanceof Int32Array && sumBits <= 32) predictNarrow(out, blockSize, order, shift);
  else predictWide(out, blockSize, order, shift);
}

/** Half of the decoder's time: eight taps are unrolled, because encoders use that many by default. */
function predictNarrow(out: Int32Array, blockSize: number, order: number, shift: number): void {
  const start = Math.min(blockSize, Math.max(order, unrolled));
  for (let i = order; i < start; i++) out[i] = out[i]! + (sumOfTaps(out, i, 0, order) >> shift);
  coefficients.fill(0, order, unrolled);
  const [c0, c1, c2, c3] = [coefficients[0]!, coefficients[1]!, coefficients[2]!, coefficients[3]!];
  const [c4, c5, c6, c7] = [coefficients[4]!, coefficients[5]!, coefficients[6]!, coefficients[7]!];
  for (let i = start; i < blockSize; i++) {
    let sum = Math.imul(c0, out[i - 1]!) + Math.imul(c1, out[i - 2]!);
    sum = (sum + Math.imul(c2, out[i - 3]!) + Math.imul(c3, out[i - 4]!)) | 0;
    sum = (sum + Math.imul(c4, out[i - 5]!) + Math.imul(c5, out[i - 6]!)) | 0;
    sum = (sum + Math.imul(c6, out[i - 7]!) + Math.imul(c7, out[i - 8]!)) | 0;
    if (order > unrolled) sum = (sum + sumOfTaps(out, i, unrolled, order)) | 0;
    out[i] = out[i]! + (sum >> shift);
  }
}

const unrolled = 8;

function sumOfTaps(out: Int32Array, i: number, from: number, to: number): number {
  let sum = 0;
  for (let j = from, k = i - 1 - from; j < to; j++, k--) sum = (sum + Math.imul(coefficients[j]!, out[k]!)) | 0;
  return sum;
}

function predictWide(out: Plane, blockSize: number, order: number, shift: number): void {
  const scale = 2 ** -shift;
  for (let i = order; i < blockSize; i++) {
    let sum = 0;
    for (let j = 0, k = i - 1; j < order; j++, k--) sum += coefficients[j]! * out[k]!;
    out[i] = out[i]! + Math.floor(sum * scale);
  }
}
