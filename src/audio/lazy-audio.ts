import type { Audio, AudioFile, AudioInfo, AudioInput, ProbeAudioOptions, ReadAudioOptions } from "./audio.ts";

// Every worker imports this package before its first item, and most read no audio, so the audio code is loaded on first
// use. The promise is kept, because even a repeated import takes time.
let reading: typeof import("./read-audio.ts") | undefined;
let probing: typeof import("./probe-audio.ts") | undefined;

/**
 * Reads the samples of an audio file, whatever its format; the bytes decide, not the name. A file that cannot be trusted
 * is a `MillraceError` with the code `BAD_AUDIO` that names it, says what was found and what to do. A stream may give
 * `maxOutputBytes` bytes (default 64 MiB; with `maxSeconds` alone, 384,000 for each of its seconds if that is more).
 */
export function readAudio(
  from: AudioInput,
  options: ReadAudioOptions & { readonly channel: "all" },
): Promise<Audio<Float32Array[]>>;
export function readAudio(
  from: AudioInput,
  options?: ReadAudioOptions & { readonly channel?: "mix" | number },
): Promise<Audio>;
export function readAudio(from: AudioInput, options?: ReadAudioOptions): Promise<Audio<Float32Array | Float32Array[]>>;
export async function readAudio(
  from: AudioInput,
  options: ReadAudioOptions = {},
): Promise<Audio<Float32Array | Float32Array[]>> {
  reading ??= await import("./read-audio.ts");
  return reading.readAudio(from, options);
}

/**
 * Reads a file's properties from its first and last kilobytes: enough to plan batches by duration. The length of an MP3
 * without a length header is estimated from its bit rate (`isExact` is false).
 */
export async function probeAudio(from: AudioFile, options: ProbeAudioOptions = {}): Promise<AudioInfo> {
  probing ??= await import("./probe-audio.ts");
  return probing.probeAudio(from, options);
}
