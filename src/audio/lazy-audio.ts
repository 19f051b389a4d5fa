import type { Audio, AudioInfo, ProbeAudioOptions, ReadAudioOptions } from "./audio.ts";

// Every worker imports this package before its first item, and most read no audio: what reads it is loaded when used, and
// kept, because an import takes its time even where there is nothing to load.
let reading: typeof import("./read-audio.ts") | undefined;
let probing: typeof import("./probe-audio.ts") | undefined;

/**
 * Reads the samples of an audio file, whatever its format; the bytes decide, not the name. A file that cannot be trusted
 * is a `MillraceError` with the code `BAD_AUDIO` that names it, says what was found and what to do.
 */
export function readAudio(
  from: string | URL | Uint8Array,
  options: ReadAudioOptions & { readonly channel: "all" },
): Promise<Audio<Float32Array[]>>;
export function readAudio(
  from: string | URL | Uint8Array,
  options?: ReadAudioOptions & { readonly channel?: "mix" | number },
): Promise<Audio>;
export function readAudio(
  from: string | URL | Uint8Array,
  options?: ReadAudioOptions,
): Promise<Audio<Float32Array | Float32Array[]>>;
export async function readAudio(
  from: string | URL | Uint8Array,
  options: ReadAudioOptions = {},
): Promise<Audio<Float32Array | Float32Array[]>> {
  reading ??= await import("./read-audio.ts");
  return reading.readAudio(from, options);
}

/**
 * What a file says about itself, from its first and last kilobytes: enough to plan batches by duration. MP3 without a note
 * of its length is estimated from its bit rate (`isExact` is false).
 */
export async function probeAudio(from: string | URL | Uint8Array, options: ProbeAudioOptions = {}): Promise<AudioInfo> {
  probing ??= await import("./probe-audio.ts");
  return probing.probeAudio(from, options);
}
