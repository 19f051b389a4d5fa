import { createHash } from "node:crypto";
import { copyFileSync, existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { type DatasetSplit, datasetCard, type ParquetColumn, writeJsonl, writeParquetFile } from "../../../formats.ts";
import { MillraceError } from "../../../index.ts";
import { putFile } from "../../put-file.ts";
import type { PrepStats } from "../prep-summary.ts";
import type { DatasetSection } from "../sections/dataset-section.ts";
import type { CorpusEntry } from "./corpus.ts";

/** A file beside the table: the counts of dropped utterances, and a mark that this recipe made the folder. */
const noteName = "prep.json";

interface DatasetNote extends PrepStats {
  /** Changes when the folder must be made again: otherwise an edited card is kept. */
  readonly digest: string;
}

/** The content of the folder. */
export interface DatasetContent {
  readonly entries: readonly CorpusEntry[];
  readonly section: DatasetSection;
  readonly sampleRate: number;
  readonly stats: PrepStats;
}

/** Makes the folder to share, unless it exists and is up to date. */
export async function publishDatasetFolder(dir: string, content: DatasetContent): Promise<void> {
  const digest = digestOf(content);
  if (readNote(dir)?.digest === digest) return;
  requireOwn(dir);
  await writeDatasetFolder(dir, content, digest);
}

/** Removes a folder that was made here, and nothing else. */
export function removeDatasetFolder(dir: string): void {
  if (readNote(dir) !== undefined) rmSync(dir, { recursive: true, force: true });
}

function digestOf({ entries, section, sampleRate, stats }: DatasetContent): string {
  const hash = createHash("sha256").update(JSON.stringify([section, sampleRate, stats]));
  for (const { utt_id, speaker_id, text, seconds, audio, wav_bytes } of entries) {
    hash.update(JSON.stringify([utt_id, speaker_id, text, seconds, basename(audio), wav_bytes ?? null]));
  }
  return hash.digest("hex");
}

function readNote(dir: string): DatasetNote | undefined {
  try {
    return JSON.parse(readFileSync(join(dir, noteName), "utf8")) as DatasetNote;
  } catch {
    return undefined;
  }
}

function requireOwn(dir: string): void {
  if (!existsSync(dir) || readNote(dir) !== undefined) return;
  throw new MillraceError("MERGE_FAILED", `${dir} is there already, and this recipe has not made it.`, {
    hint: "Move it away, or choose another prep.output_dir. What was computed is kept: run again.",
  });
}

/**
 * `data/` with the table, `README.md` for the `datasets` library, and the audio if it was written: inside the Parquet
 * file, or as files beside JSONL. It replaces an older folder at the end.
 */
async function writeDatasetFolder(
  dir: string,
  { entries, section, sampleRate, stats }: DatasetContent,
  digest: string,
): Promise<void> {
  const partial = `${dir}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(join(partial, "data"), { recursive: true });
  const isParquet = (section.format ?? "parquet") === "parquet";
  const split = section.split ?? "train";
  const rows = entries.map((entry) => rowOf(entry, sampleRate));
  const table = isParquet
    ? await writeParts(partial, split, entries, rows)
    : await writeLinesAndAudio(partial, split, entries, rows);
  const hasAudio = entries.some(({ isWritten }) => isWritten);
  const card = datasetCard({
    title: section.title ?? "A prepared speech corpus",
    ...(section.description == null ? {} : { description: section.description }),
    ...(section.license == null ? {} : { license: section.license }),
    ...(section.language == null ? {} : { language: section.language }),
    tags: ["audio", "speech"],
    configs: [{ splits: [table], ...(isParquet ? { columns: columnsOf(hasAudio) } : {}) }],
  });
  putFile(join(partial, "README.md"), card);
  const note: DatasetNote = { digest, ...stats };
  putFile(join(partial, noteName), `${JSON.stringify(note, undefined, 2)}\n`);
  rmSync(dir, { recursive: true, force: true });
  renameSync(partial, dir);
}

interface Row {
  readonly utt_id: string;
  readonly speaker_id: string;
  readonly text: string;
  readonly seconds: number;
  readonly sample_rate: number;
}

function rowOf({ utt_id, speaker_id, text, seconds }: CorpusEntry, sampleRate: number): Row {
  return { utt_id, speaker_id, text, seconds, sample_rate: sampleRate };
}

function columnsOf(hasAudio: boolean): ParquetColumn[] {
  const columns: ParquetColumn[] = [
    { name: "utt_id", type: "string" },
    { name: "speaker_id", type: "string" },
    { name: "text", type: "string" },
    { name: "seconds", type: "float64" },
    { name: "sample_rate", type: "int32" },
  ];
  return hasAudio ? [...columns, { name: "audio", type: "binary" }] : columns;
}

// The Hub recommends files of some hundred megabytes.
const partBytes = 400 * 1024 * 1024;

async function writeParts(
  dir: string,
  split: string,
  entries: readonly CorpusEntry[],
  rows: readonly Row[],
): Promise<DatasetSplit> {
  const starts = [0];
  let size = 0;
  for (const [i, { wav_bytes = 0 }] of entries.entries()) {
    if (size > 0 && size + wav_bytes > partBytes) starts.push(i);
    size = starts.at(-1) === i ? wav_bytes : size + wav_bytes;
  }
  const columns = columnsOf(entries.some(({ isWritten }) => isWritten));
  const files: string[] = [];
  let sizeBytes = 0;
  for (const [part, start] of starts.entries()) {
    const file = `data/${split}-${digits(part)}-of-${digits(starts.length)}.parquet`;
    const end = starts[part + 1] ?? entries.length;
    const written = await writeParquetFile(join(dir, file), withAudio(entries, rows, start, end), { columns });
    sizeBytes += written.sizeBytes;
    files.push(file);
  }
  return { name: split, files, rows: rows.length, sizeBytes };
}

/** One audio file is in memory at a time. */
function* withAudio(entries: readonly CorpusEntry[], rows: readonly Row[], start: number, end: number) {
  for (let i = start; i < end; i++) {
    const { isWritten, audio } = entries[i]!;
    yield isWritten ? { ...rows[i], audio: readFileSync(audio) } : { ...rows[i] };
  }
}

async function writeLinesAndAudio(
  dir: string,
  split: string,
  entries: readonly CorpusEntry[],
  rows: readonly Row[],
): Promise<DatasetSplit> {
  const file = `data/${split}.jsonl`;
  mkdirSync(join(dir, "audio"));
  const lines = rows.map((row, i) => {
    const { isWritten, audio } = entries[i]!;
    if (!isWritten) return row;
    const name = `audio/${basename(audio)}`;
    linkOrCopy(audio, join(dir, name));
    return { ...row, audio: name };
  });
  await writeJsonl(join(dir, file), lines);
  if (!entries.some(({ isWritten }) => isWritten)) rmSync(join(dir, "audio"), { recursive: true });
  return { name: split, files: file, rows: rows.length, sizeBytes: statSync(join(dir, file)).size };
}

/** A hard link costs nothing; without hard links, a copy. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

function digits(number: number): string {
  return String(number).padStart(5, "0");
}
