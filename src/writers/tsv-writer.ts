import { formatTsvRow } from "../formats/lines/format-tsv.ts";
import type { TsvRow } from "../formats/lines/parse-tsv.ts";
import { checkFileName } from "../store/shard-file-names.ts";
import { LineWriter } from "./line-writer.ts";

/** The name of the table, and its columns. */
export interface TsvWriterOptions<Column extends string> {
  /** The file, `manifest.tsv` for instance. */
  readonly name: string;
  /** In the order in which they stand in a line. */
  readonly columns: readonly Column[];
}

/**
 * One row of a manifest a record. With checkpoints; merged line by line. There is no header, as in Kaldi's and ESPnet's
 * manifests: `mergeTsv` puts one above the merged file.
 */
export function tsvWriter<Column extends string>(
  shardDir: string,
  { name, columns }: TsvWriterOptions<Column>,
): LineWriter<TsvRow<Column>> {
  return new LineWriter(shardDir, checkFileName(name), (row) => formatTsvRow(row, columns).slice(0, -1));
}
