import type { Shape } from "../config/shape.ts";
import type { StandardSchema } from "../config/standard-schema.ts";
import { type OpenerSection, readOpenerArguments } from "./core/opener-arguments.ts";
import type { Dataset, LocalDataset } from "./dataset.ts";
import { openLines } from "./lines/open-lines.ts";
import type { RemoteOption } from "./source/remote-address.ts";

/** Options of {@link openJsonl}. */
export interface JsonlOptions<Row> {
  /** The form of each row: a `shape`, or a schema of zod, valibot or another library. A row that differs is an error. */
  readonly row?: Shape<Row> | StandardSchema<Row>;
  /** The key that holds the id of a row. Default: the index is the id. */
  readonly id?: string;
  /** Where the index is kept. Default: beside the file, or in the cache folder if that is not writable. */
  readonly indexDir?: string;
  /** The maximum length of a line in bytes. Default: 64 MiB. */
  readonly maxLineBytes?: number;
}

const known = ["row", "id", "indexDir", "maxLineBytes"] as const;

/**
 * Opens a file of JSON lines, plain or compressed (`.gz`, `.zst`, found by its first bytes). The index is built once, when the
 * file is opened for the first time.
 *
 * ```ts
 * await using corpus = await openJsonl<{ id: string; text: string }>("train.jsonl", { id: "id" });
 * corpus.at(corpus.length - 1).text;
 * ```
 */
export function openJsonl<Row = unknown>(
  path: string | OpenerSection<JsonlOptions<Row> & RemoteOption>,
  options: JsonlOptions<Row> & RemoteOption,
): Promise<Dataset<Row>>;
export function openJsonl<Row = unknown>(
  path: string | OpenerSection<JsonlOptions<Row>>,
  options?: JsonlOptions<Row>,
): Promise<LocalDataset<Row>>;
export async function openJsonl<Row = unknown>(
  path: string | OpenerSection<JsonlOptions<Row>>,
  options?: JsonlOptions<Row>,
): Promise<Dataset<Row>> {
  const given = readOpenerArguments<JsonlOptions<Row>>("openJsonl", [path, options], known);
  return openLines(given.path, given.options);
}
