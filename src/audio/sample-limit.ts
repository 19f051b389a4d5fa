import { outputLimit } from "../input/output-limit.ts";
import type { AudioInfo, ReadAudioOptions } from "./audio.ts";
import { badAudio } from "./bad-audio.ts";
import type { ByteSource } from "./byte-source.ts";

/** The maximum number of frames of a file, and the error if there are more. */
export interface SampleLimit {
  readonly maxFrames: number;
  error(): Error;
}

const sampleBytes = 4;
// Decoding many channels for their mean takes time, too: this many count as one that is kept.
const channelsAsOne = 8;

/**
 * The limit for one file: a small one must not fill the memory, unless the caller allows that many seconds or bytes.
 */
export function sampleLimit(
  { name, size }: ByteSource,
  { sampleRate, channels }: AudioInfo,
  options: ReadAudioOptions,
): SampleLimit {
  const { maxSeconds, maxOutputBytes } = options;
  const growth = Math.max(1, (options.sampleRate ?? sampleRate) / sampleRate);
  const planes = options.channel === "all" ? channels : Math.max(1, channels / channelsAsOne);
  const bytes = maxOutputBytes === undefined && maxSeconds !== undefined ? Infinity : outputLimit(size, options);
  const framesOfBytes = Math.floor(bytes / (sampleBytes * planes * growth));
  const framesOfSeconds = maxSeconds === undefined ? Infinity : Math.round(maxSeconds * sampleRate);
  const inParts = "or read it in parts with offset and duration";
  return {
    maxFrames: Math.min(framesOfBytes, framesOfSeconds),
    error: () =>
      framesOfSeconds <= framesOfBytes
        ? badAudio(
            name,
            `is longer than ${maxSeconds} s, the maxSeconds it is read with`,
            `raise maxSeconds, ${inParts}`,
          )
        : badAudio(
            name,
            `is a file of ${size} bytes that would become more than the ${bytes} bytes of samples allowed ` +
              `(${Math.floor(framesOfBytes / sampleRate)} s of it)`,
            `a file like this can fill the memory. If you trust it, give maxSeconds or maxOutputBytes, ${inParts}`,
          ),
  };
}
