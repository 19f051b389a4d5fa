import { withFileSource } from "../file-source.ts";
import { openSink } from "../open-sink.ts";
import { formatTsvHeader, formatTsvRow } from "./format-tsv.ts";
import { type ParseTsvOptions, parseTsv, type TsvRow } from "./parse-tsv.ts";

/** The rows of a manifest file. */
export function readTsv<Column extends string>(path: string, options: ParseTsvOptions<Column>): TsvRow<Column>[] {
  return withFileSource(path, (file) => parseTsv(file, options));
}

/** The columns of a table, and whether it has a header. */
export interface WriteTsvOptions<Column extends string> {
  readonly columns: readonly Column[];
  /** Whether the first line is a header. Default: false, as in Kaldi's and ESPnet's manifests. */
  readonly header?: boolean;
}

/** Writes a manifest file. Returns the number of rows. */
export function writeTsv<Column extends string>(
  path: string,
  rows: Iterable<TsvRow<Column>>,
  { columns, header = false }: WriteTsvOptions<Column>,
): number {
  const file = openSink(path);
  let count = 0;
  try {
    if (header) file.write(Buffer.from(formatTsvHeader(columns)));
    for (const row of rows) {
      file.write(Buffer.from(formatTsvRow(row, columns)));
      count++;
    }
  } finally {
    file.close();
  }
  return count;
}
