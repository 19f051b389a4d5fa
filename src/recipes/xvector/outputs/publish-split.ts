import { existsSync, rmSync, statSync } from "node:fs";
import { readFailures } from "../../../index.ts";
import { eer } from "../eer.ts";
import type { ReportFailure } from "../report/report-failure.ts";
import { writeReport } from "../report/write-report.ts";
import { scorePairs } from "../score-pairs.ts";
import { openSplit } from "../split-utterances.ts";
import type { XVectorConfig, XVectorSection } from "../xvector-config.ts";
import { sourceOf, type XVectorParams } from "../xvector-provider.ts";
import type { XVectorResult } from "../xvector-result.ts";
import type { XVectorSummary } from "../xvector-summary.ts";
import { LineFile } from "./line-file.ts";
import { readShards } from "./read-shard.ts";
import { type Sample, sampleOf } from "./sample-of.ts";
import { type SplitPlaces, splitPlaces } from "./split-places.ts";
import { removeUnfinished } from "./unfinished.ts";
import { type VectorFormat, vectorFormat } from "./vector-format.ts";
import type { VectorEntry } from "./write-together.ts";
import { writeWhole } from "./write-whole.ts";

/** Completes the outputs of a split: missing vectors, index, speaker means, report. Can be repeated. */
export async function publishSplit(run: {
  readonly shardDirs: readonly string[];
  readonly runDir: string;
  readonly config: XVectorConfig;
  readonly params: XVectorParams;
}): Promise<XVectorSummary> {
  const { xvector } = run.config;
  const format = vectorFormat(xvector.output_format ?? undefined);
  const places = splitPlaces(run.params.output_dir, format);
  const seen = new SplitTotals(places);
  await writeVectors(format, places, seen.watch(readShards(run.shardDirs)));
  seen.index.finish();
  if (xvector.spk_mean ?? true) await writeMeans(seen.means, format, places);
  const failures = await publishFailures(run, places);
  const sample = seen.sample.taken;
  const scores = scorePairs(sample.map(({ record, vector }) => ({ speaker: record.speaker_id, vector })));
  const summary: XVectorSummary = {
    split: places.split,
    written: seen.written,
    failed: failures.length,
    dimension: seen.dimension,
    speakers: seen.means.size,
    seconds: seen.seconds,
    eer: eer(scores),
    vectors: format.kind === "each" ? run.params.output_dir : places.together.utterances,
    index: places.index,
    failures: failures.length === 0 ? undefined : places.failures,
    report: wantsReport(xvector) ? places.report(".html") : undefined,
  };
  if (wantsReport(xvector)) writeReport({ summary, sample, scores, failures, section: xvector, places });
  removeUnfinished(places);
  return summary;
}

function wantsReport({ report }: XVectorSection): boolean {
  return report ?? true;
}

/** Separate files exist already, unless they were deleted or the format changed; a file of all vectors is made here. */
async function writeVectors(format: VectorFormat, places: SplitPlaces, entries: Iterable<VectorEntry>): Promise<void> {
  if (format.kind === "together")
    return format.write({ path: places.together.utterances, places }, entries, "utterances");
  // Vectors of one length have files of one size.
  const sizes = new Map<number, number>();
  for (const { id, vector } of entries) {
    const size = sizes.get(vector.length) ?? format.encode(vector).length;
    sizes.set(vector.length, size);
    const path = places.utterance(id);
    if (statSync(path, { throwIfNoEntry: false })?.size !== size) writeWhole(path, format.encode(vector), places);
  }
}

async function writeMeans(means: SpeakerMeans, format: VectorFormat, places: SplitPlaces): Promise<void> {
  if (means.size === 0) return;
  if (format.kind === "together")
    return format.write({ path: places.together.speakers, places }, means.entries(), "speakers");
  for (const { id, vector } of means.entries()) writeWhole(places.speaker(id), format.encode(vector), places);
}

/** Failed items by the names of their utterances, as a table beside the index. */
async function publishFailures(
  {
    runDir,
    params,
    config,
  }: { readonly runDir: string; readonly params: XVectorParams; readonly config: XVectorConfig },
  places: SplitPlaces,
): Promise<ReportFailure[]> {
  const path = places.failures;
  const { utterances, dataset } = await openSplit(sourceOf(params, config.xvector));
  const failures: ReportFailure[] = [];
  for (const { item, error } of readFailures(runDir)) {
    const { id, line, path: audio } = await utterances.at(item);
    const [message] = error.message.split("\n  -> ") as [string];
    // The other columns contain the position.
    const why = message.replace(`${utterances.path}:${line}: ${id}: `, "");
    failures.push({ id, line, audio, code: error.code ?? error.name, message: why });
  }
  await dataset?.close();
  if (failures.length === 0) {
    if (existsSync(path)) rmSync(path);
    return failures;
  }
  const plain = (text: string) => text.replace(/\s+/g, " ");
  const rows = failures.map(({ id, line, audio, code, message }) => [id, line, code, audio, plain(message)].join("\t"));
  writeWhole(path, `utt_id\tline\tcode\tfile\tmessage\n${rows.join("\n")}\n`, places);
  return failures;
}

/** What one pass over a split's vectors collects: the index, the means, a sample for the report. */
class SplitTotals {
  readonly means: SpeakerMeans = new SpeakerMeans();
  readonly sample: Sample<XVectorResult> = sampleOf();
  readonly index: LineFile;
  written = 0;
  seconds = 0;
  dimension = 0;
  private readonly places: SplitPlaces;

  constructor(places: SplitPlaces) {
    this.places = places;
    this.index = new LineFile(places.index, places);
    this.index.write("utt_id\tspeaker_id\tseconds\tfile\tclipped\twarnings");
  }

  /** Passes results on to the writer and collects the totals. */
  *watch(results: Iterable<XVectorResult>): Generator<VectorEntry> {
    for (const result of results) {
      const { record, vector } = result;
      const { utt_id: id, speaker_id: speaker, seconds, clipped = 0, warnings = [] } = record;
      yield { id, speaker, seconds, vector };
      this.means.add(speaker, vector);
      this.sample.add(result);
      this.written++;
      this.seconds += seconds;
      this.dimension = vector.length;
      this.index.write([id, speaker, seconds, this.places.relative(id), clipped, warnings.join(",")].join("\t"));
    }
  }
}

/** The mean vector of each speaker, accumulated per utterance. Utterances without a speaker are ignored. */
class SpeakerMeans {
  private readonly sums = new Map<string, { readonly sum: Float64Array; count: number }>();

  get size(): number {
    return this.sums.size;
  }

  add(speaker: string, vector: Float32Array): void {
    if (speaker === "") return;
    let entry = this.sums.get(speaker);
    if (entry === undefined) {
      entry = { sum: new Float64Array(vector.length), count: 0 };
      this.sums.set(speaker, entry);
    }
    const { sum } = entry;
    for (let k = 0; k < vector.length; k++) sum[k] = sum[k]! + vector[k]!;
    entry.count++;
  }

  *entries(): Generator<VectorEntry> {
    for (const [speaker, { sum, count }] of this.sums)
      yield { id: speaker, speaker, seconds: 0, vector: Float32Array.from(sum, (value) => value / count) };
  }
}
