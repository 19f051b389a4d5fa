import { renameSync, rmSync } from "node:fs";
import { openFileSource } from "../file-source.ts";
import { openSink } from "../open-sink.ts";
import type { ParquetRow } from "./check-row.ts";
import { makeParquetEncoder, type ParquetOptions } from "./encode-parquet.ts";
import { type ReadParquetOptions, readParquet } from "./read-parquet.ts";

/** The rows of a Parquet file; the file is closed when the loop over them ends. */
export async function* readParquetFile<Row = Record<string, unknown>>(
  path: string,
  options: ReadParquetOptions = {},
): AsyncGenerator<Row> {
  const file = openFileSource(path);
  try {
    yield* readParquet<Row>(file, options);
  } finally {
    file.close();
  }
}

/** The result of writing a file: an entry of an index, and the numbers of a dataset card. */
export interface ParquetPart {
  readonly rows: number;
  readonly sizeBytes: number;
}

/** Writes rows to a file, one group in memory at a time. It appears under its name when it is complete. */
export async function writeParquetFile(
  path: string,
  rows: Iterable<ParquetRow> | AsyncIterable<ParquetRow>,
  options: ParquetOptions,
): Promise<ParquetPart> {
  const encoder = await makeParquetEncoder(options);
  const file = openSink(`${path}.tmp`);
  try {
    for await (const row of rows) {
      const bytes = encoder.add(row);
      if (bytes !== undefined) file.write(bytes);
    }
    file.write(encoder.end());
    file.close();
    renameSync(file.path, path);
  } finally {
    file.close();
    rmSync(file.path, { force: true });
  }
  return { rows: encoder.rows, sizeBytes: file.bytes };
}
