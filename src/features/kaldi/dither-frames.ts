/**
 * Copies the frames one after the other, each with its own noise: Kaldi adds noise after cutting, so a sample gets
 * different noise in each frame that contains it.
 */
export function ditherFrames(
  samples: Float32Array,
  at: {
    readonly firstSample: number;
    readonly frames: number;
    readonly frameLength: number;
    readonly frameShift: number;
  },
  noise: { readonly level: number; readonly seed: number },
): Float32Array {
  const gaussian = makeGaussianNoise(noise.seed);
  const frames = new Float32Array(at.frames * at.frameLength);
  for (let frame = 0, to = 0; frame < at.frames; frame++) {
    const from = at.firstSample + frame * at.frameShift;
    for (let i = 0; i < at.frameLength; i++) frames[to++] = samples[from + i]! + noise.level * gaussian();
  }
  return frames;
}

/** Normally distributed numbers that are the same for the same seed on every machine. */
function makeGaussianNoise(seed: number): () => number {
  const uniform = makeUniform(seed);
  let spare: number | undefined;
  // Two uniform numbers give two normal ones (Box-Muller).
  return () => {
    if (spare !== undefined) {
      const value = spare;
      spare = undefined;
      return value;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - uniform()));
    const angle = 2 * Math.PI * uniform();
    spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  };
}

/** A 64-bit counter with an odd increment, hashed (splitmix), in two halves of 32 bits. Values are in [0, 1). */
function makeUniform(seed: number): () => number {
  let low = seed >>> 0;
  let high = Math.floor(seed / 2 ** 32) >>> 0;
  return () => {
    const sum = low + 0x7f4a7c15;
    low = sum >>> 0;
    high = (high + 0x9e3779b9 + (sum > 0xffffffff ? 1 : 0)) >>> 0;
    let hash = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ high;
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
  };
}
