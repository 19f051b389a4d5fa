import { type BitReader, FlacDamage } from "./bit-reader.ts";

/** Samples of one channel during decoding: 32-bit streams need more than 32 bits for a difference of channels. */
export type Plane = Int32Array | Float64Array;

/** Reads the residuals after the first `order` samples: Rice-coded numbers, in partitions. */
export function readResidual(reader: BitReader, out: Plane, blockSize: number, order: number): void {
  const method = reader.read(2);
  if (method > 1) throw new FlacDamage("unknown coding of residuals");
  const parameterBits = method === 0 ? 4 : 5;
  const plain = (1 << parameterBits) - 1;
  const partitionOrder = reader.read(4);
  const partitionSize = blockSize >> partitionOrder;
  if (partitionSize << partitionOrder !== blockSize || partitionSize < order) {
    throw new FlacDamage("partitions that do not fit the block");
  }
  for (let from = order, to = partitionSize; to <= blockSize; from = to, to += partitionSize) {
    const parameter = reader.read(parameterBits);
    if (parameter < plain) readRice(reader, out, from, to, parameter);
    else readPlain(reader, out, from, to);
    reader.checkEnd();
  }
}

function readPlain(reader: BitReader, out: Plane, from: number, to: number): void {
  const bits = reader.read(5);
  for (let i = from; i < to; i++) out[i] = reader.readSigned(bits);
}

/** The inner loop of the decoder: almost every number fits into 25 bits. */
function readRice(reader: BitReader, out: Plane, from: number, to: number, parameter: number): void {
  const { bytes } = reader;
  const last = bytes.length - 4;
  const longestPrefix = 24 - parameter;
  let position = reader.position;
  for (let i = from; i < to; i++) {
    const at = position >> 3;
    if (at <= last) {
      const word =
        ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) << (position & 7);
      const zeros = Math.clz32(word);
      if (zeros <= longestPrefix) {
        // `>>> 1 >>>` because a shift by 32 is a shift by 0.
        const low = ((word << (zeros + 1)) >>> 1) >>> (31 - parameter);
        const code = (zeros << parameter) | low;
        out[i] = (code >>> 1) ^ -(code & 1);
        position += zeros + 1 + parameter;
        continue;
      }
    }
    reader.position = position;
    out[i] = readLongRice(reader, parameter);
    position = reader.position;
  }
  reader.position = position;
}

function readLongRice(reader: BitReader, parameter: number): number {
  const high = reader.readUnary();
  const low = parameter > 16 ? reader.read(parameter - 16) * 65536 + reader.read(16) : reader.read(parameter);
  const code = high * 2 ** parameter + low;
  return code % 2 === 0 ? code / 2 : -(code + 1) / 2;
}
