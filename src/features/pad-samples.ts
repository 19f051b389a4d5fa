/**
 * The values beyond the ends: zeros, or the samples mirrored with the outermost one repeated (`symmetric`) or not
 * (`reflect`).
 */
export type Padding = "constant" | "reflect" | "symmetric";

/** `length` samples from position `first` on, which may be negative. Missing samples are padded. */
export function padSamples(
  samples: Float32Array,
  { first, length, padding }: { readonly first: number; readonly length: number; readonly padding: Padding },
): Float32Array {
  const padded = new Float32Array(length);
  const from = Math.max(0, -first);
  padded.set(samples.subarray(Math.max(0, first), Math.max(0, Math.min(samples.length, first + length))), from);
  if (padding === "constant" || samples.length === 0) return padded;
  const mirrored = (index: number) => samples[mirror(index, samples.length, padding === "symmetric" ? 1 : 0)]!;
  for (let i = 0; i < Math.min(from, length); i++) padded[i] = mirrored(first + i);
  for (let i = Math.max(0, samples.length - first); i < length; i++) padded[i] = mirrored(first + i);
  return padded;
}

/** The index inside that an outside index mirrors, reflected at both ends as often as needed. */
function mirror(index: number, length: number, repeated: 0 | 1): number {
  const period = 2 * (length - 1 + repeated);
  if (period === 0) return 0;
  const inside = ((index % period) + period) % period;
  return inside < length ? inside : period - inside - repeated;
}
