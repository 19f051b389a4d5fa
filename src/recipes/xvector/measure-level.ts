/** How loud samples are. */
export interface Level {
  /** The loudest sample, without a constant offset, in decibels of full scale; minus infinity for none. */
  readonly peakDb: number;
  /** The share of samples at full scale. */
  readonly clipped: number;
}

// The largest 16-bit value is 1 - 1/32768; resampling rounds it off a little.
const fullScale = 0.999;

/** Measures the level of an utterance: silence and clipping are told by it. */
export function measureLevel(samples: Float32Array): Level {
  let sum = 0;
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  let clipped = 0;
  for (const sample of samples) {
    sum += sample;
    if (sample < least) least = sample;
    if (sample > most) most = sample;
  }
  // Float samples may go beyond full scale, and are clipped where they stay at their own largest value.
  const level = fullScale * Math.max(1, most, -least);
  if (Math.max(most, -least) >= level) for (const sample of samples) if (sample >= level || sample <= -level) clipped++;
  const count = Math.max(1, samples.length);
  const offset = sum / count;
  const peak = samples.length === 0 ? 0 : Math.max(most - offset, offset - least);
  return { peakDb: 20 * Math.log10(peak), clipped: clipped / count };
}
