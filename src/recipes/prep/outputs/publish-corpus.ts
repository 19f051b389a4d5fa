import { join, resolve } from "node:path";
import { writeTsv } from "../../../formats.ts";
import type { Awaitable } from "../../../index.ts";
import { manifestColumns } from "../../manifest-columns.ts";
import { putFile } from "../../put-file.ts";
import { validateDataDir } from "../kaldi/validate-data-dir.ts";
import { writeDataDir } from "../kaldi/write-data-dir.ts";
import { pathFromList } from "../path-from-list.ts";
import { checkPrepConfig, type PrepConfig } from "../prep-config.ts";
import type { PrepSummary } from "../prep-summary.ts";
import { sampleRateOf } from "../sections/audio-section.ts";
import { limitsOf } from "../sections/drop-section.ts";
import type { Utterances } from "../utterance.ts";
import { type CollectedCorpus, collectCorpus } from "./collect-corpus.ts";
import { countRules } from "./count-rules.ts";
import { publishDatasetFolder, removeDatasetFolder } from "./dataset-folder.ts";

/** Writes the lists, the Kaldi folder, the statistics and the dataset of all shards. Can be repeated. */
export async function publishCorpus(run: {
  readonly shardDirs: readonly string[];
  readonly runDir: string;
  readonly config: PrepConfig;
  /** The rows of the manifest: needed if some failed. */
  readonly utterances: () => Awaitable<Utterances>;
}): Promise<PrepSummary> {
  const section = checkPrepConfig(run.config);
  const outputDir = resolve(run.runDir);
  const hasFeatures = (section.features?.type ?? "fbank") !== "none";
  const corpus = await collectCorpus(run.shardDirs, outputDir, {
    hasFeatures,
    hasAudio: section.audio?.write ?? false,
    utterances: run.utterances,
  });
  const place = (name: string) => join(outputDir, name);
  writeManifest(place("manifest.tsv"), corpus);
  writeDropped(place("dropped.tsv"), corpus);
  writeDataDir(place("kaldi"), corpus.entries, { paths: section.kaldi?.paths ?? "absolute" });
  const stats = countRules(corpus);
  putFile(place("stats.json"), `${JSON.stringify(stats, undefined, 2)}\n`);
  if (section.dataset == null) removeDatasetFolder(place("dataset"));
  else {
    const { entries } = corpus;
    const sampleRate = sampleRateOf(section.audio);
    await publishDatasetFolder(place("dataset"), { entries, section: section.dataset, sampleRate, stats });
  }
  return {
    ...stats,
    outputDir,
    manifest: place("manifest.tsv"),
    droppedList: place("dropped.tsv"),
    statsFile: place("stats.json"),
    kaldiDir: place("kaldi"),
    kaldiProblems: validateDataDir(place("kaldi"), {
      noFeats: !hasFeatures,
      noText: corpus.entries.every(({ text }) => text === ""),
      emptyText: !limitsOf(section.drop).empty_text,
    }),
    datasetDir: section.dataset == null ? undefined : place("dataset"),
  };
}

function writeManifest(path: string, { entries }: CollectedCorpus): void {
  // Paths of this run's audio are relative to its folder, which can then be moved.
  const rows = entries.map(({ utt_id, audio, isWritten, text, speaker_id }) => ({
    utt_id,
    wav_path: isWritten ? pathFromList(audio, path) : audio,
    text,
    speaker_id,
  }));
  writeTsv(path, rows, { columns: manifestColumns });
}

const droppedColumns = ["utt_id", "rule", "detail", "wav_path", "text"] as const;

function writeDropped(path: string, { dropped }: CollectedCorpus): void {
  // The text may be the reason for the drop, for example because no table can contain it.
  const plain = (text: string) => text.replace(/[\t\r\n]+/g, " ");
  const rows = dropped.map(({ utt_id, rule, detail, source, text }) => ({
    utt_id,
    rule,
    detail: plain(detail),
    wav_path: plain(source),
    text: plain(text),
  }));
  writeTsv(path, rows, { columns: droppedColumns, header: true });
}
