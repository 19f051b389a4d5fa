import { type Shape, shape } from "../../../index.ts";
import { maybe } from "../../maybe.ts";

/** How silence at both ends is found: Kaldi's energy VAD, then Silero's conversion of frames to segments. */
export interface TrimSection {
  readonly vad_energy_threshold?: number | null | undefined;
  readonly vad_energy_mean_scale?: number | null | undefined;
  readonly vad_frames_context?: number | null | undefined;
  readonly vad_proportion_threshold?: number | null | undefined;
  /** Shorter sounds are not speech. Default: 60. */
  readonly min_speech_ms?: number | null | undefined;
  /** What is kept before and after the speech. Default: 100. */
  readonly pad_ms?: number | null | undefined;
}

/** How audio is read, and which part is kept. */
export interface AudioSection {
  /** The rate to which everything is resampled. Default: 16000. */
  readonly sample_rate?: number | null | undefined;
  /** `mix` (default) or the number of a channel, from 0. */
  readonly channel?: "mix" | number | null | undefined;
  /** A longer file is unreadable. Default: that of `readAudio`, so that a small file cannot fill the memory. */
  readonly max_seconds?: number | null | undefined;
  /** Whether and how silence at both ends is removed. Default: true. */
  readonly trim?: boolean | TrimSection | null | undefined;
  /** Writes the kept part as 16-bit WAV. Default: false; lists then contain the original files. */
  readonly write?: boolean | null | undefined;
}

const trimSection: Shape<TrimSection> = shape.object({
  vad_energy_threshold: maybe(shape.number()),
  vad_energy_mean_scale: maybe(shape.number({ min: 0 })),
  vad_frames_context: maybe(shape.int({ min: 0, max: 1_000_000 })),
  vad_proportion_threshold: maybe(shape.number({ min: 0, max: 1 })),
  min_speech_ms: maybe(shape.number({ min: 0 })),
  pad_ms: maybe(shape.number({ min: 0 })),
});

export const audioSection: Shape<AudioSection> = shape.object({
  sample_rate: maybe(shape.int({ min: 1000, max: 1_000_000 })),
  channel: maybe(shape.union(shape.oneOf(["mix"]), shape.int({ min: 0 }))),
  max_seconds: maybe(shape.number({ min: 0.001 })),
  trim: maybe(shape.union(shape.boolean(), trimSection)),
  write: maybe(shape.boolean()),
});

/** The sample rate after reading. */
export function sampleRateOf(audio: AudioSection | null | undefined): number {
  return audio?.sample_rate ?? 16_000;
}

/** The options of trimming, or undefined if nothing is trimmed. */
export function trimOf(audio: AudioSection | null | undefined): TrimSection | undefined {
  const trim = audio?.trim ?? true;
  if (typeof trim === "boolean") return trim ? {} : undefined;
  return trim;
}
