// Data by the index: rows that are read when they are asked for.
export { concatDatasets } from "./datasets/concat-datasets.ts";
export { makeDataset, makeLocalDataset } from "./datasets/core/make-dataset.ts";
export type { OpenerSection } from "./datasets/core/opener-arguments.ts";
export type { Dataset, LocalDataset, LocalRowSource, RowSource } from "./datasets/dataset.ts";
export type { LinesOptions } from "./datasets/lines/open-lines.ts";
export { type CsvOptions, openCsv } from "./datasets/open-csv.ts";
export { type FolderOptions, type FolderRow, openFolder } from "./datasets/open-folder.ts";
export { type JsonlOptions, openJsonl } from "./datasets/open-jsonl.ts";
export { openTsv } from "./datasets/open-tsv.ts";
export type { RemoteOption } from "./datasets/source/remote-address.ts";
export type { ColumnType } from "./datasets/tables/convert-value.ts";
export type { TableOptions } from "./datasets/tables/open-table.ts";
