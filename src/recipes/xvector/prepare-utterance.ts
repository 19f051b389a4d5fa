import { MillraceError } from "../../index.ts";
import { type FeatureMatrix, readAudio, sampleRange } from "../../speech.ts";
import type { FrontEnd } from "./make-front-end.ts";
import { measureLevel } from "./measure-level.ts";
import { type Room, takeRoom } from "./room.ts";
import type { ModelConvention } from "./toolkits/toolkit.ts";

/** How audio is read and what of it is refused. */
export interface AudioPolicy {
  readonly channel: "mix" | number;
  /** Audio whose peak stays below it is silence, whatever constant is in it. In decibels of full scale. */
  readonly silenceDb: number;
  /** A larger share of samples at full scale is refused. */
  readonly maxClipped: number;
}

/** An utterance as the model takes it. */
export interface PreparedUtterance {
  readonly input: FeatureMatrix;
  readonly seconds: number;
  /** The share of samples at full scale. */
  readonly clipped: number;
  readonly warnings: readonly string[];
}

// From there on clipping is worth a word even where it is allowed.
const notableClipping = 0.001;

interface Rules {
  readonly convention: ModelConvention;
  readonly policy: AudioPolicy;
}

/**
 * Reads one utterance and computes what the model takes, which may stand in the room. Everything that would give a vector
 * without a meaning is refused here, because models answer to silence and to ten milliseconds too.
 */
export async function prepareUtterance(
  path: string,
  frontEnd: FrontEnd,
  rules: Rules,
  room: Room = takeRoom(),
): Promise<PreparedUtterance> {
  // A waveform goes into the model as it is.
  if (rules.convention.input === "waveform")
    return prepare(path, frontEnd, { ...rules, samples: room, features: room });
  const samples = takeRoom();
  try {
    return await prepare(path, frontEnd, { ...rules, samples, features: room });
  } finally {
    samples.giveBack();
  }
}

interface Rooms {
  readonly samples: Room;
  readonly features: Room;
}

async function prepare(
  path: string,
  frontEnd: FrontEnd,
  { convention, policy, samples: sampleRoom, features }: Rules & Rooms,
): Promise<PreparedUtterance> {
  const { sampleRate, minSeconds, minFrames } = convention;
  const audio = await readAudio(path, { sampleRate, channel: policy.channel, allocate: sampleRoom.allocate });
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

/** By the lowest and the highest, of which any NaN makes NaN: that takes a tenth of asking each. */
function isAllFinite(values: Float32Array): boolean {
  const { least, most } = sampleRange(values);
  return Number.isFinite(most - least);
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

function badAudio(path: string, what: string, hint: string): MillraceError {
  return new MillraceError("BAD_AUDIO", `${path} ${what}`, { hint });
}
