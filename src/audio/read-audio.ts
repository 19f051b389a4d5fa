import { MillraceError } from "../errors/errors.ts";
import { checkAllocate } from "../values/check-allocate.ts";
import { describeKind } from "../values/state-json.ts";
import type { Audio, AudioInfo, AudioInput, AudioWarning, ReadAudioOptions } from "./audio.ts";
import { badAudio } from "./bad-audio.ts";
import { openSource } from "./byte-source.ts";
import { openAudio } from "./open-audio.ts";
import { resample } from "./resample.ts";
import { sampleLimit } from "./sample-limit.ts";
import { type FrameRange, SampleSink } from "./sample-sink.ts";

/** Opens, decodes the requested part, resamples; `lazy-audio.ts` documents the public function. */
export async function readAudio(
  from: AudioInput,
  options: ReadAudioOptions = {},
): Promise<Audio<Float32Array | Float32Array[]>> {
  checkOptions(options);
  const { channel = "mix", quality = "standard", truncated = "fail" } = options;
  const source = await openSource(from, options);
  try {
    const { info, warnings: ofHeader, decode } = await openAudio(source, { truncated });
    if (typeof channel === "number" && channel >= info.channels) throw noSuchChannel(source.name, channel, info);
    const warnings: AudioWarning[] = [...ofHeader];
    const range = rangeOf(source.name, info, options);
    const sink = new SampleSink({
      channel,
      channels: info.channels,
      range,
      warnings,
      allocate: checkAllocate("readAudio", options.allocate),
      limit: sampleLimit(source, info, options),
    });
    await decode(sink);
    const planes = sink.finish();
    warnIfShort(source.name, planes[0]!.length, range, info, warnings);
    const sampleRate = options.sampleRate ?? info.sampleRate;
    const resampled = planes.map((plane) => resample(plane, info.sampleRate, sampleRate, { quality }));
    return {
      samples: channel === "all" ? resampled : resampled[0]!,
      sampleRate,
      channels: info.channels,
      durationSeconds: planes[0]!.length / info.sampleRate,
      format: info.format,
      codec: info.codec,
      sourceSampleRate: info.sampleRate,
      warnings,
    };
  } catch (error) {
    throw error instanceof RangeError ? tooLarge(source.name, error) : error;
  } finally {
    await source.close();
  }
}

/** The frames between `offset` and `offset + duration`, each rounded to the nearest. */
function rangeOf(name: string, info: AudioInfo, { offset = 0, duration = Infinity }: ReadAudioOptions): FrameRange {
  const start = Math.round(offset * info.sampleRate);
  const end = Math.round((offset + duration) * info.sampleRate);
  if (info.isExact && start >= info.frames!) throw beyondEnd(name, offset, info.frames! / info.sampleRate);
  return { start, end };
}

/** Segments of manifests often end some milliseconds after the end of the file: reads what is there, with a warning. */
function warnIfShort(
  name: string,
  count: number,
  { start, end }: FrameRange,
  { sampleRate }: AudioInfo,
  warnings: AudioWarning[],
): void {
  if (count === 0) throw beyondEnd(name, start / sampleRate, undefined);
  if (end === Infinity || count >= end - start) return;
  const message = `${(end - start) / sampleRate} s were asked for, ${count / sampleRate} s are there`;
  warnings.push({ kind: "past_end", message });
}

function beyondEnd(name: string, offset: number, durationSeconds: number | undefined): Error {
  const length = durationSeconds === undefined ? "" : `: it is ${Number(durationSeconds.toFixed(3))} s long`;
  return badAudio(
    name,
    `has nothing at ${offset} s${length}`,
    "check the times of the segment and that the file is the right one",
  );
}

function noSuchChannel(name: string, channel: number, { channels }: AudioInfo): Error {
  const what = `has ${channels === 1 ? "one channel" : `${channels} channels`}, number ${channel} is not among them`;
  return badAudio(name, what, "channels are counted from 0");
}

/** The only errors of this kind come from arrays that cannot be allocated. */
function tooLarge(name: string, error: RangeError): Error {
  return badAudio(name, "is too long to be read in one piece", "read it in parts with offset and duration", error);
}

function checkOptions(options: ReadAudioOptions): void {
  const { channel, offset, duration, sampleRate, truncated, allocate, maxSeconds } = options;
  const refuse = (message: string, hint: string) => {
    throw new MillraceError("BAD_OPTION", `readAudio: ${message}`, { hint });
  };
  const isChannel = typeof channel === "number" ? Number.isInteger(channel) && channel >= 0 : true;
  if (!isChannel || (typeof channel === "string" && channel !== "mix" && channel !== "all")) {
    refuse(`channel is ${channel}`, 'use "mix", "all" or a number counted from 0');
  }
  if (offset !== undefined && !(offset >= 0 && offset < Infinity))
    refuse(`offset is ${offset}`, "give seconds, 0 or more");
  if (duration !== undefined && !(duration > 0)) refuse(`duration is ${duration}`, "give seconds, more than 0");
  if (maxSeconds !== undefined && !(maxSeconds > 0)) refuse(`maxSeconds is ${maxSeconds}`, "give seconds, more than 0");
  if (sampleRate !== undefined && !(Number.isInteger(sampleRate) && sampleRate >= 1000 && sampleRate <= 1_000_000)) {
    refuse(`sampleRate is ${sampleRate}`, "give samples per second, 1000 to 1000000");
  }
  if (allocate !== undefined && (typeof allocate !== "function" || channel === "all")) {
    refuse(
      channel === "all" ? 'allocate with channel: "all"' : `allocate is ${describeKind(allocate)}`,
      "give a function of a length that returns a Float32Array, and one channel or the mean of all",
    );
  }
  if (truncated !== undefined && truncated !== "fail" && truncated !== "keep") {
    refuse(`truncated is ${truncated}`, 'use "fail" or "keep"');
  }
}
