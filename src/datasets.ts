// Data by the index: rows that are read when they are asked for.
export { concatDatasets } from "./datasets/concat-datasets.ts";
export { isDataset } from "./datasets/core/is-dataset.ts";
export { makeDataset, makeLocalDataset } from "./datasets/core/make-dataset.ts";
export type { OpenerSection } from "./datasets/core/opener-arguments.ts";
export type { Dataset, LocalDataset, LocalRowSource, RowSource } from "./datasets/dataset.ts";
export type { HuggingFaceFile } from "./datasets/hugging-face/dataset-files.ts";
export type { KaldiUtterance, UtteranceAudioOptions } from "./datasets/kaldi/kaldi-utterance.ts";
export type {
  LhotseManifest,
  LhotseRecording,
  LhotseSource,
  LhotseSupervision,
} from "./datasets/lhotse/lhotse-manifest.ts";
export type { CutAudioOptions, LhotseRow } from "./datasets/lhotse/lhotse-row.ts";
export type { LinesOptions } from "./datasets/lines/open-lines.ts";
export { type CsvOptions, openCsv } from "./datasets/open-csv.ts";
export { type FolderOptions, type FolderRow, openFolder } from "./datasets/open-folder.ts";
export { type OpenHuggingFaceOptions, openHuggingFace } from "./datasets/open-hugging-face.ts";
export { type JsonlOptions, openJsonl } from "./datasets/open-jsonl.ts";
export { type OpenKaldiOptions, openKaldi } from "./datasets/open-kaldi.ts";
export { type OpenLhotseOptions, openLhotse } from "./datasets/open-lhotse.ts";
export { type OpenParquetOptions, openParquet } from "./datasets/open-parquet.ts";
export { type OpenTarOptions, openTar } from "./datasets/open-tar.ts";
export { openTsv } from "./datasets/open-tsv.ts";
export type { RemoteOption } from "./datasets/source/remote-address.ts";
export type { ColumnType } from "./datasets/tables/convert-value.ts";
export type { TableOptions } from "./datasets/tables/open-table.ts";
