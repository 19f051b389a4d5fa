import type { FrameSpec } from "./frame-spec.ts";

/** A vector of four floats, one for each of four frames. */
export const vectorBytes = 16;

/**
 * Frames whose samples and features are in the kernel's memory at a time: enough to make the cost of a call negligible.
 */
export const blockFrames = 128;

/** The memory layout of a kernel, in bytes. */
export interface KernelLayout {
  readonly samples: number;
  readonly window: number;
  readonly work: readonly [number, number];
  readonly spectrum: number;
  readonly splitTwiddles: number;
  readonly order: number;
  readonly passTwiddles: readonly number[];
  readonly filters: number;
  readonly weights: number;
  readonly output: number;
  readonly energies: number;
  readonly bytes: number;
}

/** Assigns an address to every table and buffer of a kernel. */
export function layOut(
  spec: FrameSpec,
  sizes: { twiddles: readonly Float32Array[]; table: Int32Array; weights: Float32Array },
): KernelLayout {
  let end = 0;
  const take = (bytes: number) => {
    const at = end;
    end = Math.ceil((at + bytes) / 64) * 64;
    return at;
  };
  const half = spec.fftSize / 2;
  return {
    work: [take(spec.fftSize * vectorBytes), take(spec.fftSize * vectorBytes)],
    // One extra bin: filters have an even number of weights, and the last may be a zero beyond the end.
    spectrum: take((half + 2) * vectorBytes),
    window: take(4 * spec.frameLength),
    splitTwiddles: take(4 * half),
    order: take(4 * half),
    passTwiddles: sizes.twiddles.map((values) => take(4 * values.length)),
    filters: take(4 * sizes.table.length),
    weights: take(4 * sizes.weights.length),
    samples: take(4 * ((blockFrames - 1) * spec.frameShift + spec.frameLength)),
    output: take(4 * blockFrames * spec.filters.count),
    energies: take(4 * blockFrames),
    bytes: end,
  };
}
