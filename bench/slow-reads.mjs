// A manifest as a dataset whose audio comes from a slow place: each read takes 30 ms more.
import { dirname, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openTsv } from "millrace/datasets";
import { readAudio } from "millrace/speech";

const latencyMs = 30;

export async function openSlowly({ path }) {
  const rows = await openTsv(path, { columns: ["utt_id", "wav_path", "text", "speaker_id"], id: "utt_id" });
  return rows.map(({ utt_id, speaker_id, wav_path }) => ({
    utt_id,
    speaker_id,
    async readAudio(options) {
      await sleep(latencyMs);
      return readAudio(resolve(dirname(path), wav_path), options);
    },
  }));
}
