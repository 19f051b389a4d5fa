import { energyVad, frameLogEnergy, type SpeechSegment, speechSegments } from "../../../speech.ts";
import type { TrimSection } from "../sections/audio-section.ts";

/**
 * From the first to the last sample of speech by the energy of frames of 25 ms, or undefined where there is none. Pauses
 * within stay: they belong to how someone speaks.
 */
export function trimSilence(
  samples: Float32Array,
  sampleRate: number,
  { min_speech_ms, pad_ms, ...vad }: TrimSection = {},
): SpeechSegment | undefined {
  const given = Object.fromEntries(Object.entries(vad).filter(([, value]) => value != null));
  const energies = frameLogEnergy(samples, { sampleFrequency: sampleRate });
  const segments = speechSegments(energyVad(energies, { vad_frames_context: 2, ...given } as object), {
    // As Kaldi counts the samples of 10 ms.
    frameShift: Math.floor(sampleRate / 100),
    sampleRate,
    sampleCount: samples.length,
    minSpeechMs: min_speech_ms ?? 60,
    padMs: pad_ms ?? 100,
  });
  const [first, last] = [segments[0], segments.at(-1)];
  return first === undefined || last === undefined ? undefined : { start: first.start, end: last.end };
}
