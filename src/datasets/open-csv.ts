import { MillraceError } from "../errors/errors.ts";
import { type OpenerSection, readOpenerArguments } from "./core/opener-arguments.ts";
import type { Dataset, LocalDataset } from "./dataset.ts";
import type { RemoteOption } from "./source/remote-address.ts";
import { openTable, type TableOptions, tableOptions } from "./tables/open-table.ts";
import { splitQuoted } from "./tables/split-record.ts";

/** A row of a table whose columns are texts. */
type Texts = Readonly<Record<string, string>>;

/** Options of {@link openCsv}. */
export interface CsvOptions<Row> extends TableOptions<Row> {
  /** One character between the values. Default: a comma. */
  readonly separator?: string;
}

/**
 * Opens a file of comma-separated values as RFC 4180 writes them, plain or compressed. The first line names the columns; values are texts
 * unless `types` says otherwise.
 *
 * ```ts
 * const table = await openCsv("speakers.csv", { types: { age: "int" }, id: "speaker" });
 * ```
 */
export function openCsv<Row = Texts>(
  path: string | OpenerSection<CsvOptions<Row> & RemoteOption>,
  options: CsvOptions<Row> & RemoteOption,
): Promise<Dataset<Row>>;
export function openCsv<Row = Texts>(
  path: string | OpenerSection<CsvOptions<Row>>,
  options?: CsvOptions<Row>,
): Promise<LocalDataset<Row>>;
export async function openCsv<Row = Texts>(
  path: string | OpenerSection<CsvOptions<Row>>,
  options?: CsvOptions<Row>,
): Promise<Dataset<Row>> {
  const given = readOpenerArguments<CsvOptions<Row>>("openCsv", [path, options], [...tableOptions, "separator"]);
  const { separator = ",", ...table } = given.options;
  checkSeparator(separator);
  return openTable<Row>(given.path, table, {
    format: `csv ${JSON.stringify(separator)}`,
    hasQuotes: true,
    split: splitQuoted(separator),
  });
}

function checkSeparator(separator: unknown): void {
  if (typeof separator === "string" && /^[^"\r\n]$/.test(separator)) return;
  throw new MillraceError(
    "BAD_OPTION",
    `openCsv: separator is ${JSON.stringify(separator)}; one character was expected.`,
    {
      hint: 'Write for instance { separator: ";" }. It is neither a quote nor a line break.',
    },
  );
}
