import type { Dataset } from "../../datasets.ts";
import { type Awaitable, MillraceError } from "../../index.ts";
import { type DatasetTarget, nameOfTarget } from "../utterances/dataset-target.ts";
import { openSpeechRows } from "../utterances/open-speech-rows.ts";
import type { SpeechColumns, SpeechRow } from "../utterances/speech-row.ts";
import { type ManifestRow, readManifest } from "./manifest.ts";

/** One utterance of a split. A row of a dataset reads its own audio; otherwise it is the file `path`. */
export interface SplitUtterance extends ManifestRow {
  readonly row?: SpeechRow;
}

/** The utterances of a split by their index: a manifest, or a dataset. */
export interface SplitUtterances {
  /** `[utt_id, wav_path]` of a manifest's row, as in ESPnet3's list of pairs; a dataset has none. */
  readonly [idx: number]: readonly [uttId: string, wavPath: string] | undefined;
  /** The manifest, or the path of the dataset. */
  readonly path: string;
  readonly length: number;
  at(idx: number): Awaitable<SplitUtterance>;
  /** The line of the manifest, or the number of the row, both from 1. */
  lineOf(idx: number): number;
  digest(): string;
}

/** Where the utterances of a split come from. */
export interface SplitSource {
  readonly manifest: string | DatasetTarget;
  readonly columns: SpeechColumns;
  /** The folder that the `_target_` of a dataset is resolved against. */
  readonly projectRoot: string;
}

/** An open split. `dataset` is undefined for a manifest. */
export interface OpenedSplit {
  readonly utterances: SplitUtterances;
  readonly dataset: Dataset<SpeechRow> | undefined;
}

/** Opens the manifest or dataset of a split. */
export async function openSplit({ manifest, ...options }: SplitSource): Promise<OpenedSplit> {
  if (typeof manifest === "string") return { utterances: readManifest(manifest), dataset: undefined };
  const dataset = await openSpeechRows(manifest, options);
  return { utterances: utterancesOf(dataset, nameOfTarget(manifest)), dataset };
}

function utterancesOf(dataset: Dataset<SpeechRow>, path: string): SplitUtterances {
  const utterance = (row: SpeechRow, idx: number): SplitUtterance => {
    return { id: row.id, path: row.source, text: row.text, speaker: row.speaker, line: idx + 1, row };
  };
  return {
    path,
    length: dataset.length,
    at: (idx) => {
      const row = dataset.at(idx);
      return row instanceof Promise ? row.then((come) => utterance(come, idx)) : utterance(row, idx);
    },
    lineOf: (idx) => idx + 1,
    digest: () => dataset.digest,
  };
}

/** Batches by seconds need the row of every item at once. */
export function noCost(path: string): MillraceError {
  return new MillraceError("BAD_OPTION", `xvector.batch_seconds: the rows of ${path} are not there at once.`, {
    hint: "Leave batch_seconds out and set batch_size: Parquet files and addresses are read during the run.",
  });
}
