/** The value of each mu-law byte (ITU-T G.711), full scale 1. */
export const mulawValues: Float32Array = Float32Array.from({ length: 256 }, (_, byte) => {
  const bits = ~byte & 0xff;
  const magnitude = ((((bits & 0x0f) << 3) + 0x84) << ((bits >> 4) & 7)) - 0x84;
  return ((bits & 0x80) === 0 ? magnitude : -magnitude) / 32768;
});

/** The value of each A-law byte (ITU-T G.711), full scale 1. */
export const alawValues: Float32Array = Float32Array.from({ length: 256 }, (_, byte) => {
  const bits = byte ^ 0x55;
  const exponent = (bits >> 4) & 7;
  const mantissa = ((bits & 0x0f) << 4) + 8;
  const magnitude = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1);
  return ((bits & 0x80) === 0 ? -magnitude : magnitude) / 32768;
});
