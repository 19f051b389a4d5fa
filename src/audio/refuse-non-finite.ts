import { badAudio } from "./bad-audio.ts";

/** The position of samples in a file. */
interface Place {
  readonly count: number;
  readonly firstFrame: number;
  /** Number of interleaved channels in `samples`. */
  readonly channels: number;
}

/** One NaN makes every feature of a file NaN, and a model still gives an output for it. */
export function refuseNonFinite(name: string, samples: Float32Array, { count, firstFrame, channels }: Place): void {
  for (let i = 0; i < count; i++) {
    // A number minus itself is zero, except for NaN and the infinities.
    if (samples[i]! - samples[i]! !== 0) {
      const frame = firstFrame + Math.floor(i / channels);
      const what = `holds a sample that is no finite number (${samples[i]} at frame ${frame})`;
      throw badAudio(name, what, "whatever wrote it is broken: make it again, or leave it out");
    }
  }
}
