import { dirname, isAbsolute, resolve } from "node:path";

/** What each line of a manifest of utterances holds, in this order where it has no header. */
export const manifestColumns = ["utt_id", "wav_path", "text", "speaker_id"] as const;

export type ManifestColumn = (typeof manifestColumns)[number];

/** Where a manifest's audio file is: a path that is not absolute is relative to the manifest. */
export function audioPath(path: string, manifest: string): string {
  return isAbsolute(path) ? path : resolve(dirname(manifest), path);
}
