import { existsSync, rmSync, statSync } from "node:fs";
import { readFailures } from "../../../index.ts";
import { eer } from "../eer.ts";
import { readManifest } from "../manifest.ts";
import type { ReportFailure } from "../report/report-failure.ts";
import { writeReport } from "../report/write-report.ts";
import { scorePairs } from "../score-pairs.ts";
import type { XVectorConfig, XVectorSection } from "../xvector-config.ts";
import type { XVectorParams } from "../xvector-provider.ts";
import type { XVectorResult } from "../xvector-result.ts";
import type { XVectorSummary } from "../xvector-summary.ts";
import { LineFile } from "./line-file.ts";
import { readShards } from "./read-shard.ts";
import { sampleOf } from "./sample-of.ts";
import { SpeakerMeans } from "./speaker-means.ts";
import { type SplitPlaces, splitPlaces } from "./split-places.ts";
import { type VectorFile, type VectorFormat, vectorFormat } from "./vector-format.ts";
import { makeWhole, writeWhole } from "./write-whole.ts";

/** Completes the outputs of a split: what workers have not written yet, index, speaker means, report. Can be repeated. */
export function publishSplit(run: {
  readonly shardDirs: readonly string[];
  readonly runDir: string;
  readonly config: XVectorConfig;
  readonly params: XVectorParams;
}): XVectorSummary {
  const { xvector } = run.config;
  const format = vectorFormat(xvector.output_format ?? undefined);
  const places = splitPlaces(run.params.output_dir, format);
  const means = new SpeakerMeans();
  const sample = sampleOf<XVectorResult>();
  const index = new LineFile(places.index);
  index.write("utt_id\tspeaker_id\tseconds\tfile\tclipped\twarnings");
  let seconds = 0;
  let written = 0;
  let dimension = 0;
  writeVectors(format, places, (add) => {
    for (const result of readShards(run.shardDirs)) {
      const { record, vector } = result;
      const { utt_id, speaker_id, clipped = 0, warnings = [] } = record;
      add(utt_id, vector);
      means.add(speaker_id, vector);
      sample.add(result);
      seconds += record.seconds;
      dimension = vector.length;
      written++;
      index.write(
        [utt_id, speaker_id, record.seconds, places.relative(utt_id), clipped, warnings.join(",")].join("\t"),
      );
    }
  });
  index.finish();
  if (xvector.spk_mean ?? true) writeMeans(means, format, places);
  const failures = publishFailures(run, places);
  const scores = scorePairs(sample.taken.map(({ record, vector }) => ({ speaker: record.speaker_id, vector })));
  const summary: XVectorSummary = {
    split: places.split,
    written,
    failed: failures.length,
    dimension,
    speakers: means.size,
    seconds,
    eer: eer(scores),
    vectors: format.kind === "each" ? run.params.output_dir : places.together.utterances,
    index: places.index,
    failures: failures.length === 0 ? undefined : places.failures,
    report: wantsReport(xvector) ? places.report(".html") : undefined,
  };
  if (wantsReport(xvector)) writeReport({ summary, sample: sample.taken, scores, failures, section: xvector, places });
  return summary;
}

function wantsReport({ report }: XVectorSection): boolean {
  return report ?? true;
}

/** Files of their own are there already, unless someone deleted them or chose another format; a file of all is made here. */
function writeVectors(
  format: VectorFormat,
  places: SplitPlaces,
  write: (add: (id: string, vector: Float32Array) => void) => void,
): void {
  if (format.kind === "each") {
    write((id, vector) => writeIfMissing(places.utterance(id), format.encode(vector)));
    return;
  }
  makeWhole(places.together.utterances, (partial) => fill(format.open(partial), places, write));
}

function writeIfMissing(path: string, bytes: Uint8Array): void {
  if (statSync(path, { throwIfNoEntry: false })?.size !== bytes.length) writeWhole(path, bytes);
}

function fill(
  file: VectorFile,
  places: SplitPlaces,
  write: (add: (id: string, vector: Float32Array) => void) => void,
): void {
  try {
    write((id, vector) => file.add(places.key(id), vector));
  } finally {
    file.close();
  }
}

function writeMeans(means: SpeakerMeans, format: VectorFormat, places: SplitPlaces): void {
  if (means.size === 0) return;
  if (format.kind === "each") {
    for (const [speaker, mean] of means.entries()) writeWhole(places.speaker(speaker), format.encode(mean));
    return;
  }
  makeWhole(places.together.speakers, (partial) =>
    fill(format.open(partial), places, (add) => {
      for (const [speaker, mean] of means.entries()) add(speaker, mean);
    }),
  );
}

/** Failed items by the names of their utterances, as a table beside the index. */
function publishFailures(
  { runDir, params }: { readonly runDir: string; readonly params: XVectorParams },
  { failures: path }: SplitPlaces,
): ReportFailure[] {
  const manifest = readManifest(params.manifest_path);
  const failures = [...readFailures(runDir)].map(({ item, error }): ReportFailure => {
    const { id, line, path: audio } = manifest.at(item);
    const [message] = error.message.split("\n  -> ") as [string];
    // Where it stands is said by the other columns.
    const why = message.replace(`${manifest.path}:${line}: ${id}: `, "");
    return { id, line, audio, code: error.code ?? error.name, message: why };
  });
  if (failures.length === 0) {
    if (existsSync(path)) rmSync(path);
    return failures;
  }
  const plain = (text: string) => text.replace(/\s+/g, " ");
  const rows = failures.map(({ id, line, audio, code, message }) => [id, line, code, audio, plain(message)].join("\t"));
  writeWhole(path, `utt_id\tline\tcode\tfile\tmessage\n${rows.join("\n")}\n`);
  return failures;
}
