import type { AudioFile, AudioInfo, ProbeAudioOptions } from "./audio.ts";
import { openSource } from "./byte-source.ts";
import { openAudio } from "./open-audio.ts";

/** Reads the header and closes the file; `lazy-audio.ts` documents the public function. */
export async function probeAudio(from: AudioFile, options: ProbeAudioOptions = {}): Promise<AudioInfo> {
  const source = await openSource(from, options);
  try {
    return (await openAudio(source, { truncated: "fail" })).info;
  } finally {
    await source.close();
  }
}
