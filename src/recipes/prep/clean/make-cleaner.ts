import type { SpeechSegment } from "../../../speech.ts";
import type { PrepSection } from "../prep-config.ts";
import { sampleRateOf, trimOf } from "../sections/audio-section.ts";
import { type Limits, limitsOf } from "../sections/drop-section.ts";
import { characterClass } from "./character-class.ts";
import { audioRules, type BrokenRule, firstBroken, type MeasuredAudio, textRules } from "./drop-rules.ts";
import { makeTextNormaliser } from "./make-text-normaliser.ts";
import { trimSilence } from "./trim-silence.ts";

/** A cleaner: how texts and audio are changed, and which utterances are dropped. */
export interface Cleaner {
  readonly limits: Limits;
  readonly normaliseText: (text: string) => string;
  readonly judgeText: (text: string) => BrokenRule | undefined;
  /** The part of the samples to keep; undefined if there is no speech in them. */
  readonly trim: (samples: Float32Array) => SpeechSegment | undefined;
  readonly judgeAudio: (measured: MeasuredAudio) => BrokenRule | undefined;
}

/** The cleaner that a config describes. */
export function makeCleaner({ audio, text, drop }: PrepSection): Cleaner {
  const limits = limitsOf(drop);
  const allowed = text?.allowed == null ? undefined : characterClass(text.allowed, "prep.text.allowed");
  const trim = trimOf(audio);
  const sampleRate = sampleRateOf(audio);
  return {
    limits,
    normaliseText: makeTextNormaliser(text),
    judgeText: (clean) => firstBroken(textRules, { text: clean, allowed }, limits),
    trim: (samples) =>
      trim === undefined ? { start: 0, end: samples.length } : trimSilence(samples, sampleRate, trim),
    judgeAudio: (measured) => firstBroken(audioRules, measured, limits),
  };
}
