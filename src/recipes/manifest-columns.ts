import { dirname, isAbsolute, resolve } from "node:path";

/** The columns of a manifest of utterances, in this order if it has no header. */
export const manifestColumns = ["utt_id", "wav_path", "text", "speaker_id"] as const;

export type ManifestColumn = (typeof manifestColumns)[number];

/** The path of an audio file of a manifest: relative paths are relative to the manifest. */
export function audioPath(path: string, manifest: string): string {
  return isAbsolute(path) ? path : resolve(dirname(manifest), path);
}
