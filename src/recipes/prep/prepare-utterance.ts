import { existsSync } from "node:fs";
import { MillraceError } from "../../index.ts";
import { type Audio, encodeWav, readAudio, resample } from "../../speech.ts";
import { levelDb, measureLevel } from "../measure-level.ts";
import type { BrokenRule } from "./clean/drop-rules.ts";
import type { PrepEnv } from "./prep-provider.ts";
import type { PrepResult } from "./prep-result.ts";
import type { Utterance } from "./utterance.ts";

/** Cleans one utterance: first its text, which is cheap, then its audio; computes features of the rest. */
export async function prepareUtterance(utterance: Utterance, env: PrepEnv): Promise<PrepResult> {
  const { cleaner, model, sampleRate, writesAudio } = env;
  const text = cleaner.normaliseText(utterance.text);
  const ofText = cleaner.judgeText(text);
  if (ofText !== undefined) return drop(utterance, ofText);
  const audio = await readOrJudge(utterance, env);
  if ("rule" in audio) return drop(utterance, audio);
  const rawSeconds = audio.durationSeconds;
  const samples = resample(audio.samples, audio.sampleRate, sampleRate);
  const segment = cleaner.trim(samples) ?? { start: 0, end: 0 };
  const kept = samples.subarray(segment.start, segment.end);
  const seconds = kept.length / sampleRate;
  // Clipping is looked for in the samples of the file: resampling rounds its edges off.
  const { fullScale: clipped } = measureLevel(audio.samples);
  const ofAudio = cleaner.judgeAudio({ text, rawSeconds, seconds, levelDb: levelDb(kept), clipped });
  if (ofAudio !== undefined) return drop(utterance, ofAudio, rawSeconds);
  const features = model?.(kept);
  if (features?.rows === 0) return drop(utterance, { rule: "too_short", detail: "no frame of features" }, rawSeconds);
  const wav = writesAudio ? encodeWav(kept, { sampleRate }) : undefined;
  return {
    kept: {
      utt_id: utterance.id,
      speaker_id: utterance.speaker,
      text,
      source: utterance.path,
      start: round(segment.start / sampleRate),
      seconds: round(seconds),
      source_seconds: round(rawSeconds),
      ...(features === undefined ? {} : { frames: features.rows }),
      ...(wav === undefined ? {} : { wav_bytes: wav.length }),
    },
    features,
    wav,
  };
}

/** Damaged audio is a reason to drop an utterance. A missing file is a mistake in the manifest and fails. */
async function readOrJudge(
  { path, sourceId, readAudio: readOwn }: Utterance,
  { cleaner, channel, maxSeconds }: PrepEnv,
): Promise<Audio<Float32Array> | BrokenRule> {
  try {
    const options = { channel, ...(maxSeconds === undefined ? {} : { maxSeconds }) };
    return await (readOwn?.(options) ?? readAudio(path, options));
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
    if (error.code === "BAD_AUDIO" && cleaner.limits.unreadable && (readOwn !== undefined || existsSync(path))) {
      return { rule: "unreadable", detail: error.reason.replace(`${path} `, "") };
    }
    throw new MillraceError(error.code, `${sourceId}: ${error.reason}`, {
      cause: error,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    });
  }
}

function drop({ sourceId, path, text }: Utterance, broken: BrokenRule, rawSeconds?: number): PrepResult {
  return {
    dropped: {
      utt_id: sourceId,
      ...broken,
      source: path,
      text,
      ...(rawSeconds === undefined ? {} : { source_seconds: round(rawSeconds) }),
    },
  };
}

// Microseconds: finer than a sample.
function round(seconds: number): number {
  return Number(seconds.toFixed(6));
}
