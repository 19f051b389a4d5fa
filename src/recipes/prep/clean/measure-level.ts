// The largest 16-bit value is 1 - 1/32768.
const fullScale = 0.9999;

/** The share of samples at full scale; float samples beyond it count too. */
export function clippedShare(samples: Float32Array): number {
  if (samples.length === 0) return 0;
  let count = 0;
  for (const sample of samples) if (sample >= fullScale || sample <= -fullScale) count++;
  return count / samples.length;
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
