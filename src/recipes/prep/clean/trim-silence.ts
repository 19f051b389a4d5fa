import { energyVad, frameLogEnergy, type SpeechSegment, speechSegments } from "../../../speech.ts";
import type { TrimSection } from "../sections/audio-section.ts";

/**
 * The range from the first to the last sample of speech by the energy of frames of 25 ms; undefined if there is none.
 * Pauses inside are kept: they are part of the speech.
 */
export function trimSilence(
  samples: Float32Array,
  sampleRate: number,
  { min_speech_ms, pad_ms, ...vad }: TrimSection = {},
): SpeechSegment | undefined {
  const given = Object.fromEntries(Object.entries(vad).filter(([, value]) => value != null));
  const energies = frameLogEnergy(samples, { sampleFrequency: sampleRate });
  const segments = speechSegments(energyVad(energies, { vad_frames_context: 2, ...given } as object), {
    // The number of samples in 10 ms, as Kaldi computes it.
    frameShift: Math.floor(sampleRate / 100),
    sampleRate,
    sampleCount: samples.length,
    minSpeechMs: min_speech_ms ?? 60,
    padMs: pad_ms ?? 100,
  });
  const [first, last] = [segments[0], segments.at(-1)];
  return first === undefined || last === undefined ? undefined : { start: first.start, end: last.end };
}
