import { sampleRange } from "../../speech.ts";

/** How loud samples are. */
export interface Level {
  /** Half of what lies between the lowest and the highest sample, in decibels of full scale; minus infinity for none. */
  readonly peakDb: number;
  /** The share of samples at full scale. */
  readonly clipped: number;
}

// The largest 16-bit value is 1 - 1/32768; resampling rounds it off a little.
const fullScale = 0.999;

/** Measures the level of an utterance: silence and clipping are told by it. */
export function measureLevel(samples: Float32Array): Level {
  if (samples.length === 0) return { peakDb: Number.NEGATIVE_INFINITY, clipped: 0 };
  const { least, most } = sampleRange(samples);
  const largest = Math.max(most, -least);
  return { peakDb: 20 * Math.log10((most - least) / 2), clipped: countClipped(samples, largest) / samples.length };
}

/** Float samples may go beyond full scale, and are clipped where they stay at their own largest value. */
function countClipped(samples: Float32Array, largest: number): number {
  if (largest < fullScale) return 0;
  const level = fullScale * Math.max(1, largest);
  let count = 0;
  for (let i = 0; i < samples.length; i++) if (Math.abs(samples[i]!) >= level) count++;
  return count;
}
