import { MillraceError } from "../../index.ts";
import { type FeatureMatrix, readAudio, sampleRange } from "../../speech.ts";
import { measureLevel } from "../measure-level.ts";
import type { SpeechRow } from "../utterances/speech-row.ts";
import { type BorrowedBuffer, borrowBuffer } from "./borrow-buffer.ts";
import type { FrontEnd } from "./make-front-end.ts";
import type { ModelConvention } from "./toolkits/toolkit.ts";

/** How audio is read and which audio is refused. */
export interface AudioPolicy {
  readonly channel: "mix" | number;
  /** A longer file is refused. Default: that of `readAudio`. */
  readonly maxSeconds?: number;
  /** Audio with a peak below this is silent, independent of a constant offset. In decibels of full scale. */
  readonly silenceDb: number;
  /** A larger fraction of samples at full scale is refused. */
  readonly maxClipped: number;
}

/** An utterance as the model takes it. */
export interface PreparedUtterance {
  readonly input: FeatureMatrix;
  readonly seconds: number;
  /** The fraction of samples at full scale. */
  readonly clipped: number;
  readonly warnings: readonly string[];
}

// From this fraction on clipping is reported even if it is allowed.
const notableClipping = 0.001;

interface Rules {
  readonly convention: ModelConvention;
  readonly policy: AudioPolicy;
}

/**
 * Reads one utterance, by its path or as a row of a dataset, and computes the model's input, which may be in the borrowed buffer. Everything that would give a
 * meaningless vector is refused here, because models give an output for silence and for ten milliseconds too.
 */
export async function prepareUtterance(
  from: string | SpeechRow,
  frontEnd: FrontEnd,
  rules: Rules,
  buffer: BorrowedBuffer = borrowBuffer(),
): Promise<PreparedUtterance> {
  // A waveform goes into the model unchanged.
  if (rules.convention.input === "waveform")
    return prepare(from, frontEnd, { ...rules, samples: buffer, features: buffer });
  const samples = borrowBuffer();
  try {
    return await prepare(from, frontEnd, { ...rules, samples, features: buffer });
  } finally {
    samples.returnBuffer();
  }
}

interface Buffers {
  readonly samples: BorrowedBuffer;
  readonly features: BorrowedBuffer;
}

async function prepare(
  from: string | SpeechRow,
  frontEnd: FrontEnd,
  { convention, policy, samples: sampleBuffer, features }: Rules & Buffers,
): Promise<PreparedUtterance> {
  const { sampleRate, minSeconds, minFrames } = convention;
  const options = {
    sampleRate,
    channel: policy.channel,
    allocate: sampleBuffer.allocate,
    ...(policy.maxSeconds === undefined ? {} : { maxSeconds: policy.maxSeconds }),
  };
  const path = typeof from === "string" ? from : from.source;
  const audio = await (typeof from === "string" ? readAudio(from, options) : from.readAudio(options));
  const { samples, durationSeconds: seconds } = audio;
  if (seconds < minSeconds)
    throw badAudio(
      path,
      `is too short: ${round(seconds)} s, at least ${minSeconds} s are needed`,
      "leave it out, or lower min_seconds",
    );
  const { peakDb, clipped } = measureLevel(samples);
  if (!(peakDb >= policy.silenceDb))
    throw badAudio(path, `is silent: its peak is at ${round(peakDb)} dB`, "leave it out, or lower silence_db");
  if (clipped > policy.maxClipped)
    throw badAudio(
      path,
      `is clipped: ${round(100 * clipped)} % of its samples are at full scale`,
      "leave it out, or raise max_clipped",
    );
  const input = frontEnd(samples, features.allocate);
  if (input.rows < minFrames)
    throw badAudio(path, `is too short: ${input.rows} frames, at least ${minFrames} are needed`, "leave it out");
  if (!isAllFinite(input.data))
    throw badAudio(path, "gives features that are not finite", "look at the audio and at the options of the front end");
  const warnings = audio.warnings.map(({ kind }) => kind as string);
  if (clipped > notableClipping) warnings.push("clipped");
  return { input, seconds, clipped, warnings };
}

/** By minimum and maximum, which are NaN if any value is: ten times faster than checking each value. */
function isAllFinite(values: Float32Array): boolean {
  const { min, max } = sampleRange(values);
  return Number.isFinite(max - min);
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

function badAudio(path: string, what: string, hint: string): MillraceError {
  return new MillraceError("BAD_AUDIO", `${path} ${what}`, { hint });
}
