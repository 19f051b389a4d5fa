// A manifest as a dataset whose audio comes from a slow place, each read 30 ms later, or from the disk; and a model for it.
import { dirname, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openTsv } from "millrace/datasets";
import { cmvn, fbank, loadOnnx, readAudio } from "millrace/speech";

const columns = ["utt_id", "wav_path", "text", "speaker_id"];

/** Rows that read their audio when they are asked to, as the recipes for speech want them. */
export async function openSlowly({ path, latency_ms }) {
  const rows = await openTsv(path, { columns, id: "utt_id" });
  return rows.map(({ wav_path, ...row }) => ({
    ...row,
    async readAudio(options) {
      await sleep(latency_ms);
      return readAudio(resolve(dirname(path), wav_path), options);
    },
  }));
}

/** Rows with their samples, as inference wants them. */
export async function openSamples(options) {
  const rows = await openSlowly(options);
  return rows.map(async ({ utt_id, readAudio: read }) => {
    const { samples } = await read({ sampleRate: 16_000, channel: "mix" });
    return { utt_id, speech: samples };
  });
}

/** A speaker model for inference. */
export async function openSpeakerModel({ path }) {
  const model = await loadOnnx(path, { threads: 1 });
  const [{ name }] = model.inputs;
  return async ({ speech }) => {
    const { data, rows, columns: size } = cmvn(fbank(speech, { numMelBins: 80, dither: 0 }));
    const outputs = await model.run({ [name]: { dtype: "float32", shape: [1, rows, size], data } });
    return { first: Object.values(outputs)[0].data[0] };
  };
}
