import { type Shape, shape } from "../../../index.ts";
import { maybe } from "../../maybe.ts";

/** How silence at both ends is found: Kaldi's energy VAD, then Silero's rule from frames to stretches. */
export interface TrimSection {
  readonly vad_energy_threshold?: number | null | undefined;
  readonly vad_energy_mean_scale?: number | null | undefined;
  readonly vad_frames_context?: number | null | undefined;
  readonly vad_proportion_threshold?: number | null | undefined;
  /** Shorter sounds are not speech. Default: 60. */
  readonly min_speech_ms?: number | null | undefined;
  /** What is left before and behind the speech. Default: 100. */
  readonly pad_ms?: number | null | undefined;
}

/** How audio is read, and what of it is kept. */
export interface AudioSection {
  /** What everything is resampled to. Default: 16000. */
  readonly sample_rate?: number | null | undefined;
  /** `mix` (default) or the number of a channel, from 0. */
  readonly channel?: "mix" | number | null | undefined;
  /** Whether, and how, silence at both ends is cut off. Default: true. */
  readonly trim?: boolean | TrimSection | null | undefined;
  /** Writes what is left as 16-bit WAV. Default: false; lists then name the files as they were. */
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
  trim: maybe(shape.union(shape.boolean(), trimSection)),
  write: maybe(shape.boolean()),
});

/** The rate of everything behind the reading. */
export function sampleRateOf(audio: AudioSection | null | undefined): number {
  return audio?.sample_rate ?? 16_000;
}

/** The options of the trimming, or undefined where nothing is trimmed. */
export function trimOf(audio: AudioSection | null | undefined): TrimSection | undefined {
  const trim = audio?.trim ?? true;
  if (typeof trim === "boolean") return trim ? {} : undefined;
  return trim;
}
