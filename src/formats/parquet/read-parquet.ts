import { type Bytes, toByteSource } from "../byte-source.ts";
import { openParquetGroups, type ReadParquetOptions } from "./parquet-groups.ts";

export type { ReadParquetOptions } from "./parquet-groups.ts";

/** The rows of a file, one group in memory at a time. int64 is bigint, binary is Uint8Array. */
export async function* readParquet<Row = Record<string, unknown>>(
  input: Bytes,
  options: ReadParquetOptions = {},
): AsyncGenerator<Row> {
  const groups = await openParquetGroups(toByteSource(input), options);
  for (const [index, rows] of groups.rowCounts.entries()) {
    const { chunks } = await groups.readGroup(index);
    yield* chunks.rows<Row>(rows);
  }
}
