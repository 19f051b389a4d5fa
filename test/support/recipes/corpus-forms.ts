import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type ParquetColumn, writeParquetFile } from "../../../src/formats.ts";
import { probeAudio } from "../../../src/speech.ts";

/** How a config names the same corpus: by its manifest, and by a dataset in each form. */
export interface CorpusForm {
  readonly name: string;
  readonly section: { readonly _target_: string; readonly path: string; readonly [key: string]: unknown };
  readonly columns?: { readonly id?: string; readonly audio?: string; readonly speaker?: string };
}

interface Row {
  readonly id: string;
  readonly path: string;
  readonly text: string;
  readonly speaker: string;
}

/** Writes the corpus of a manifest as JSONL, a Kaldi folder, cuts of Lhotse, an audio folder, and Parquet with the audio. */
export async function corpusForms(manifest: string, folder: string): Promise<CorpusForm[]> {
  const rows = readFileSync(manifest, "utf8")
    .trimEnd()
    .split("\n")
    .map((line): Row => {
      const [id, path, text, speaker] = line.split("\t") as [string, string, string, string];
      return { id, path: resolve(dirname(manifest), path), text, speaker };
    });
  mkdirSync(folder, { recursive: true });
  const place = (name: string) => join(folder, name);
  const lines = (name: string, line: (row: Row) => string) =>
    writeFileSync(place(name), rows.map((row) => `${line(row)}\n`).join(""));

  lines("rows.jsonl", ({ id, path, text, speaker }) =>
    JSON.stringify({ utt_id: id, wav_path: path, text, speaker_id: speaker }),
  );

  mkdirSync(place("kaldi"));
  lines("kaldi/wav.scp", ({ id, path }) => `${id} ${path}`);
  lines("kaldi/text", ({ id, text }) => `${id} ${text}`);
  lines("kaldi/utt2spk", ({ id, speaker }) => `${id} ${speaker}`);

  const cuts: string[] = [];
  for (const { id, path, text, speaker } of rows) {
    const { sampleRate, durationSeconds = 0 } = await probeAudio(path);
    const common = { id, start: 0, duration: durationSeconds, channel: 0 };
    const supervision = { ...common, recording_id: id, text, speaker };
    const sources = [{ type: "file", channels: [0], source: path }];
    const samples = Math.round(durationSeconds * sampleRate);
    const recording = { id, sources, sampling_rate: sampleRate, num_samples: samples, duration: durationSeconds };
    cuts.push(JSON.stringify({ ...common, type: "MonoCut", supervisions: [supervision], recording }));
  }
  writeFileSync(place("cuts.jsonl"), `${cuts.join("\n")}\n`);

  mkdirSync(place("audiofolder/train"), { recursive: true });
  for (const { id, path } of rows) cpSync(path, place(`audiofolder/train/${id}.wav`));
  lines("audiofolder/train/metadata.jsonl", ({ id, text, speaker }) =>
    JSON.stringify({ file_name: `${id}.wav`, utt: id, text, who: speaker }),
  );

  const columns: ParquetColumn[] = [
    ...["utt_id", "text", "speaker"].map((name): ParquetColumn => ({ name, type: "string" })),
    { name: "audio", type: "binary" },
  ];
  const table = rows.map(({ id, path, text, speaker }) => ({ utt_id: id, text, speaker, audio: readFileSync(path) }));
  await writeParquetFile(place("rows.parquet"), table, { columns });

  const target = (opener: string) => `millrace/datasets#${opener}`;
  return [
    { name: "JSONL", section: { _target_: target("openJsonl"), path: place("rows.jsonl"), id: "utt_id" } },
    { name: "a Kaldi folder", section: { _target_: target("openKaldi"), path: place("kaldi") } },
    { name: "cuts of Lhotse", section: { _target_: target("openLhotse"), path: place("cuts.jsonl") } },
    {
      name: "an audio folder of Hugging Face",
      section: { _target_: target("openHuggingFace"), path: place("audiofolder") },
      columns: { id: "utt", speaker: "who" },
    },
    { name: "Parquet with audio", section: { _target_: target("openParquet"), path: place("rows.parquet") } },
  ];
}
