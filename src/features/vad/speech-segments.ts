import { checkFeatureOptions, number, orNull, whole } from "../check-options.ts";

/** Options of {@link speechSegments}. Durations are in milliseconds. */
export interface SpeechSegmentOptions {
  /** Samples between two decisions. Default: 160, 10 ms at 16 kHz; Silero's probabilities are 512 apart. */
  readonly frameShift?: number | undefined;
  /** Default: 16000. */
  readonly sampleRate?: number | undefined;
  /** Number of samples; no segment ends after it. Default: as many as the decisions cover. */
  readonly sampleCount?: number | null | undefined;
  /** Speech begins at or above this. Default: 0.5. */
  readonly threshold?: number | undefined;
  /** Speech ends below this. Default: 0.15 less than `threshold`, but at least 0.01. */
  readonly negThreshold?: number | null | undefined;
  /** Shorter speech is dropped. Default: 250. */
  readonly minSpeechMs?: number | undefined;
  /** A shorter pause does not end a segment. Default: 100. */
  readonly minSilenceMs?: number | undefined;
  /** Added on both sides of a segment. A pause shorter than twice this is split between its neighbours. Default: 30. */
  readonly padMs?: number | undefined;
}

/** A segment of speech: first sample (inclusive) and last sample (exclusive). */
export interface SpeechSegment {
  readonly start: number;
  readonly end: number;
}

const rules = {
  frameShift: whole(160, { min: 1 }),
  sampleRate: number(16_000, { min: 1 }),
  sampleCount: orNull(whole(0, { min: 0 })),
  threshold: number(0.5, { above: 0, max: 1 }),
  negThreshold: orNull(number(0.35, { min: 0, max: 1 })),
  minSpeechMs: number(250, { min: 0 }),
  minSilenceMs: number(100, { min: 0 }),
  padMs: number(30, { min: 0 }),
};

/**
 * Converts decisions (0 and 1, {@link energyVad}) or probabilities ({@link sileroVad}) to speech segments, in samples.
 */
export function speechSegments(decisions: ArrayLike<number>, options: SpeechSegmentOptions = {}): SpeechSegment[] {
  const checked = checkFeatureOptions("speechSegments", options, rules);
  const toSamples = (ms: number) => (ms * checked.sampleRate) / 1000;
  const total = checked.sampleCount ?? decisions.length * checked.frameShift;
  const found = findSegments(decisions, total, {
    frameShift: checked.frameShift,
    threshold: checked.threshold,
    negThreshold: checked.negThreshold ?? Math.max(checked.threshold - 0.15, 0.01),
    minSilence: toSamples(checked.minSilenceMs),
  });
  const long = found.filter(({ start, end }) => end - start > toSamples(checked.minSpeechMs));
  return pad(long, Math.round(toSamples(checked.padMs)), total);
}

function findSegments(
  decisions: ArrayLike<number>,
  total: number,
  rule: { frameShift: number; threshold: number; negThreshold: number; minSilence: number },
): SpeechSegment[] {
  const segments: SpeechSegment[] = [];
  let start: number | undefined;
  let pause: number | undefined;
  for (let i = 0; i < decisions.length; i++) {
    const at = i * rule.frameShift;
    const value = decisions[i]!;
    if (value >= rule.threshold) {
      pause = undefined;
      start ??= at;
    } else if (value < rule.negThreshold && start !== undefined) {
      pause ??= at;
      if (at - pause >= rule.minSilence) {
        segments.push({ start, end: pause });
        start = undefined;
        pause = undefined;
      }
    }
  }
  if (start !== undefined && start < total) segments.push({ start, end: total });
  return segments;
}

function pad(segments: readonly SpeechSegment[], padding: number, total: number): SpeechSegment[] {
  // At most half of a pause, so that neighbours never overlap.
  const between = (i: number) => Math.min(padding, (segments[i + 1]!.start - segments[i]!.end) >> 1);
  return segments.map(({ start, end }, i) => ({
    start: i === 0 ? Math.max(0, start - padding) : start - between(i - 1),
    end: i === segments.length - 1 ? Math.min(total, end + padding) : end + between(i),
  }));
}
