import type { Shape } from "../config/shape.ts";
import type { StandardSchema } from "../config/standard-schema.ts";
import { parseJson } from "../formats/parse-json.ts";
import { outputLimit } from "../input/output-limit.ts";
import { type OpenerSection, readOpenerArguments } from "./core/opener-arguments.ts";
import type { Dataset, LocalDataset } from "./dataset.ts";
import { type LinesOptions, openLines } from "./lines/open-lines.ts";
import { idReader, rowChecker } from "./lines/row-values.ts";
import type { RemoteOption } from "./source/remote-address.ts";

/** Options of {@link openJsonl}. */
export interface JsonlOptions<Row> extends LinesOptions {
  /** The form of each row: a `shape`, or a schema of zod, valibot or another library. A row that differs is an error. */
  readonly row?: Shape<Row> | StandardSchema<Row>;
  /** The key that holds the id of a row. Default: the index is the id. */
  readonly id?: string;
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
  const { row: schema, id, ...lines } = given.options;
  return openLines<Row>(given.path, {
    format: "jsonl",
    hasQuotes: false,
    blank: "white space",
    options: lines,
    prepare: ({ name, size }) => {
      const limit = outputLimit(size);
      const check = rowChecker<Row>(name, schema);
      return {
        skipped: 0,
        copiesText: true,
        parse: (text, place) => {
          const { row, offset } = place;
          return check(parseJson(text, { file: name, offset, what: "row", number: row, limit }), place);
        },
        idOf: idReader(name, id),
      };
    },
  });
}
