import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import {
  formatScpLine,
  type NdArray,
  NpzWriter,
  ndArray,
  openArkWriter,
  safeFileName,
  writeParquetFile,
  writeSafetensorsFile,
} from "../../../formats.ts";
import { makeWhole } from "../../put-file.ts";
import { LineFile } from "./line-file.ts";
import { type UnfinishedFolder, unfinishedPath } from "./unfinished.ts";

/** A vector with its owner. */
export interface VectorEntry {
  /** The id of the utterance, or of the speaker for a mean. */
  readonly id: string;
  readonly speaker: string;
  readonly seconds: number;
  readonly vector: Float32Array;
}

/** The path of a file of vectors, and its path while it is incomplete. */
export interface TogetherPlace {
  readonly path: string;
  readonly places: UnfinishedFolder;
}

/** Whether a file contains the vectors of utterances or the means of speakers. */
export type VectorKind = "utterances" | "speakers";

// Each of these publishes the file when it is complete, and holds one vector at a time.

/** One array per vector. Names are valid file names, because an archive may be unpacked. */
export async function writeNpz({ path, places }: TogetherPlace, entries: Iterable<VectorEntry>): Promise<void> {
  whole({ path, places }, (partial) => {
    const npz = new NpzWriter(partial);
    try {
      for (const { id, vector } of entries) npz.add(safeFileName(id), ndArray("float32", vector));
    } finally {
      npz.close();
    }
  });
}

/** A Kaldi archive, with a list that contains its absolute path, as Kaldi's programs need it. */
export async function writeArk({ path, places }: TogetherPlace, entries: Iterable<VectorEntry>): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  const scp = new LineFile(path.replace(/\.ark$/, ".scp"), places);
  whole({ path, places }, (partial) => {
    const ark = openArkWriter(partial);
    try {
      for (const { id, vector } of entries) {
        // Kaldi's keys end at the first blank.
        const key = /^\S+$/.test(id) ? id : safeFileName(id);
        const offset = ark.write(key, ndArray("float32", vector));
        scp.write(formatScpLine({ key, path, offset }).trimEnd());
      }
    } finally {
      ark.close();
    }
  });
  // After the archive, so that a list never refers to a missing file.
  scp.finish();
}

/** One tensor per vector, named by its id. */
export async function writeSafetensors({ path }: TogetherPlace, entries: Iterable<VectorEntry>): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  await writeSafetensorsFile(path, tensorsOf(entries));
}

function* tensorsOf(entries: Iterable<VectorEntry>): Generator<readonly [string, NdArray]> {
  for (const { id, vector } of entries) yield [id, ndArray("float32", vector)];
}

/** One row per vector, with the columns of the index. */
export async function writeParquet(
  { path }: TogetherPlace,
  entries: Iterable<VectorEntry>,
  kind: VectorKind,
): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  const embedding = { name: "embedding", type: "list<float32>" } as const;
  const speaker = { name: "speaker_id", type: "string" } as const;
  const columns =
    kind === "speakers"
      ? [speaker, embedding]
      : [
          { name: "utt_id", type: "string" } as const,
          speaker,
          { name: "seconds", type: "float64" } as const,
          embedding,
        ];
  await writeParquetFile(path, rowsOf(entries, kind), { columns });
}

function* rowsOf(entries: Iterable<VectorEntry>, kind: VectorKind): Generator<Readonly<Record<string, unknown>>> {
  for (const { id, speaker, seconds, vector } of entries) {
    const row = { speaker_id: speaker, embedding: [...vector] };
    yield kind === "speakers" ? row : { utt_id: id, seconds, ...row };
  }
}

function whole({ path, places }: TogetherPlace, make: (partial: string) => void): void {
  makeWhole(path, make, unfinishedPath(path, places.unfinished));
}
