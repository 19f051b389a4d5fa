import { formatTsvRow } from "../formats/lines/format-tsv.ts";
import type { TsvRow } from "../formats/lines/parse-tsv.ts";
import { MillraceError } from "../shared/errors.ts";
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
  return new LineWriter(shardDir, checkFileName(name), (row) => {
    checkKeys(row, columns);
    return formatTsvRow(row, columns).slice(0, -1);
  });
}

/** Refuses a row with a value that has no column: it would be lost. */
function checkKeys(row: Readonly<Record<string, unknown>>, columns: readonly string[]): void {
  for (const key of Object.keys(row)) {
    if (columns.includes(key) || row[key] === undefined) continue;
    throw new MillraceError("BAD_RECORD", `A row cannot be written: there is no column ${JSON.stringify(key)}.`, {
      hint: `The columns are ${columns.join(", ")}: name one more, or leave the key out of the row.`,
    });
  }
}
