import { type OpenerSection, readOpenerArguments } from "./core/opener-arguments.ts";
import type { Dataset, LocalDataset } from "./dataset.ts";
import type { RemoteOption } from "./source/remote-address.ts";
import { openTable, type TableOptions, tableOptions } from "./tables/open-table.ts";
import { splitTabs } from "./tables/split-record.ts";

/** A row of a table whose columns are texts. */
type Texts = Readonly<Record<string, string>>;

/**
 * Opens a manifest of values between tabs, plain or compressed: no quotes and no escapes, as in Kaldi and ESPnet. The first line names
 * the columns, or `columns` does.
 */
export function openTsv<Row = Texts>(
  path: string | OpenerSection<TableOptions<Row> & RemoteOption>,
  options: TableOptions<Row> & RemoteOption,
): Promise<Dataset<Row>>;
export function openTsv<Row = Texts>(
  path: string | OpenerSection<TableOptions<Row>>,
  options?: TableOptions<Row>,
): Promise<LocalDataset<Row>>;
export async function openTsv<Row = Texts>(
  path: string | OpenerSection<TableOptions<Row>>,
  options?: TableOptions<Row>,
): Promise<Dataset<Row>> {
  const given = readOpenerArguments<TableOptions<Row>>("openTsv", [path, options], tableOptions);
  return openTable<Row>(given.path, given.options, { format: "tsv", hasQuotes: false, split: splitTabs });
}
