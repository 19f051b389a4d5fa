import { sampleRange } from "../speech.ts";

/**
 * From here on a sample counts as clipped. The largest 16-bit value is 1 - 1/32768, and resampling and lossy codecs take
 * some thousandths off a clipped peak; no sample of clean speech stays this close to full scale.
 */
const fullScale = 0.999;

/** How loud samples are. */
export interface Level {
  /** Half of what lies between the lowest and the highest sample, in decibels of full scale; minus infinity for none. */
  readonly peakDb: number;
  /** The share of samples at full scale. Float samples may go beyond it: then the share at their own largest value. */
  readonly clipped: number;
  /** The share of samples at full scale or beyond it: those that a 16-bit file clips. */
  readonly fullScale: number;
}

/** Measures the level of an utterance, for silence and clipping. */
export function measureLevel(samples: Float32Array): Level {
  if (samples.length === 0) return { peakDb: Number.NEGATIVE_INFINITY, clipped: 0, fullScale: 0 };
  const { min: least, max: most } = sampleRange(samples);
  const largest = Math.max(most, -least);
  const atFullScale = largest < fullScale ? 0 : shareFrom(samples, fullScale);
  return {
    peakDb: 20 * Math.log10((most - least) / 2),
    clipped: largest <= 1 ? atFullScale : shareFrom(samples, fullScale * largest),
    fullScale: atFullScale,
  };
}

/** The level without a constant offset, in decibels of full scale: minus infinity for silence. */
export function levelDb(samples: Float32Array): number {
  let [sum, squares] = [0, 0];
  for (const sample of samples) {
    sum += sample;
    squares += sample * sample;
  }
  const count = Math.max(1, samples.length);
  return 10 * Math.log10(Math.max(0, squares / count - (sum / count) ** 2));
}

function shareFrom(samples: Float32Array, level: number): number {
  let count = 0;
  for (let i = 0; i < samples.length; i++) if (Math.abs(samples[i]!) >= level) count++;
  return count / samples.length;
}
