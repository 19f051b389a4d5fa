import type { Encoding } from "./pcm-layout.ts";

export const hostIsLittleEndian: boolean = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/**
 * Converts stored samples to numbers: integers are divided by the magnitude of their most negative value (16 bits by
 * 32768, unsigned 8 bits by 128 around 128), floats are unchanged.
 */
export function decodeSamples(
  encoding: Exclude<Encoding, "ima" | "ms">,
  isLittleEndian: boolean,
  bytes: Uint8Array,
  count: number,
  out: Float32Array,
): void {
  switch (encoding) {
    case "u8":
      for (let i = 0; i < count; i++) out[i] = (bytes[i]! - 128) / 128;
      return;
    case "s8":
      for (let i = 0; i < count; i++) out[i] = ((bytes[i]! << 24) >> 24) / 128;
      return;
    case "mulaw":
      for (let i = 0; i < count; i++) out[i] = mulawValues[bytes[i]!]!;
      return;
    case "alaw":
      for (let i = 0; i < count; i++) out[i] = alawValues[bytes[i]!]!;
      return;
    case "s24":
      decode24(isLittleEndian, bytes, count, out);
      return;
  }
  const isNative = isLittleEndian === hostIsLittleEndian;
  const width = encoding === "s16" ? 2 : encoding === "s64" || encoding === "f64" ? 8 : 4;
  const { buffer, byteOffset } = inHostOrder(bytes.subarray(0, count * width), width, isNative);
  switch (encoding) {
    case "s16":
      scale(new Int16Array(buffer, byteOffset, count), 2 ** -15, out);
      return;
    case "s32":
      scale(new Int32Array(buffer, byteOffset, count), 2 ** -31, out);
      return;
    case "f32":
      out.set(new Float32Array(buffer, byteOffset, count));
      return;
    case "f64":
      out.set(new Float64Array(buffer, byteOffset, count));
      return;
    case "s64": {
      const values = new BigInt64Array(buffer, byteOffset, count);
      for (let i = 0; i < count; i++) out[i] = Number(values[i]!) * 2 ** -63;
    }
  }
}

function scale(values: Int16Array | Int32Array, factor: number, out: Float32Array): void {
  for (let i = 0; i < values.length; i++) out[i] = values[i]! * factor;
}

/** The bytes as typed arrays need them: aligned, in the byte order of this machine. */
function inHostOrder(bytes: Uint8Array, width: 2 | 4 | 8, isNative: boolean): Uint8Array {
  if (isNative && bytes.byteOffset % width === 0) return bytes;
  // Not `slice`: on a Buffer it returns a view.
  const copy = Buffer.from(new Uint8Array(bytes).buffer);
  if (isNative) return copy;
  return width === 2 ? copy.swap16() : width === 4 ? copy.swap32() : copy.swap64();
}

function decode24(isLittleEndian: boolean, bytes: Uint8Array, count: number, out: Float32Array): void {
  const [high, low] = isLittleEndian ? [2, 0] : [0, 2];
  for (let i = 0, at = 0; i < count; i++, at += 3) {
    // Shifted to the upper end of 32 bits, so that the sign is correct.
    const value = (bytes[at + high]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + low]! << 8);
    out[i] = value * 2 ** -31;
  }
}

/** The value of each mu-law byte (ITU-T G.711), full scale 1. */
const mulawValues: Float32Array = Float32Array.from({ length: 256 }, (_, byte) => {
  const bits = ~byte & 0xff;
  const magnitude = ((((bits & 0x0f) << 3) + 0x84) << ((bits >> 4) & 7)) - 0x84;
  return ((bits & 0x80) === 0 ? magnitude : -magnitude) / 32768;
});

/** The value of each A-law byte (ITU-T G.711), full scale 1. */
const alawValues: Float32Array = Float32Array.from({ length: 256 }, (_, byte) => {
  const bits = byte ^ 0x55;
  const exponent = (bits >> 4) & 7;
  const mantissa = ((bits & 0x0f) << 4) + 8;
  const magnitude = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1);
  return ((bits & 0x80) === 0 ? -magnitude : magnitude) / 32768;
});
