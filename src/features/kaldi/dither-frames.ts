import { makeGaussianNoise } from "./gaussian-noise.ts";

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
