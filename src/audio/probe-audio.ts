import type { AudioInfo, ProbeAudioOptions } from "./audio.ts";
import { openSource } from "./byte-source.ts";
import { openAudio } from "./open-audio.ts";

/** Reads the header and throws the rest away; `lazy-audio.ts` says what users may rely on. */
export async function probeAudio(from: string | URL | Uint8Array, options: ProbeAudioOptions = {}): Promise<AudioInfo> {
  const source = await openSource(from, options.name);
  try {
    return (await openAudio(source, { truncated: "fail" })).info;
  } finally {
    await source.close();
  }
}
