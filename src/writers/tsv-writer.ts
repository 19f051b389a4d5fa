import { MillraceError } from "../errors/errors.ts";
import { formatTsvRow } from "../formats/lines/format-tsv.ts";
import type { TsvRow } from "../formats/lines/parse-tsv.ts";
import { checkFileName } from "../run-folder/shard/shard-file-names.ts";
import { LineWriter } from "./line-writer.ts";

/** The name of the table, and its columns. */
export interface TsvWriterOptions<Column extends string> {
  /** The file is `name.tsv`. May lead into a folder. */
  readonly name: string;
  /** In the order of a line. */
  readonly columns: readonly Column[];
}

/**
 * One row of `name.tsv` per record. With checkpoints; merged line by line. There is no header, as in Kaldi's and ESPnet's
 * manifests: `mergeTsv` adds one to the merged file.
 */
export function tsvWriter<Column extends string>(
  shardDir: string,
  { name, columns }: TsvWriterOptions<Column>,
): LineWriter<TsvRow<Column>> {
  return new LineWriter(shardDir, checkFileName(`${name}.tsv`), (row) => {
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
