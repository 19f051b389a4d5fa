import type { Shape } from "../../config/shape.ts";
import type { StandardSchema } from "../../config/standard-schema.ts";
import { MillraceError } from "../../errors/errors.ts";
import { refuseFile } from "../../formats/refuse-file.ts";
import { nearestName } from "../../text/nearest-name.ts";
import type { Dataset } from "../dataset.ts";
import { type LinesOptions, openLines } from "../lines/open-lines.ts";
import { idReader, type RowPlace, rowChecker, rowText } from "../lines/row-values.ts";
import { wholeBuffer } from "../source/byte-store.ts";
import { type ColumnType, columnTypes, convertValue } from "./convert-value.ts";
import type { SplitRecord } from "./split-record.ts";

/** Options of a table. */
export interface TableOptions<Row> extends LinesOptions {
  /** The names of the columns of a table without a header. Default: the first line has them. */
  readonly columns?: readonly string[];
  /** The types of columns; the others are texts. A value of another type is an error. */
  readonly types?: Readonly<Record<string, ColumnType>>;
  /** The form of each row: a `shape`, or a schema of zod, valibot or another library. A row that differs is an error. */
  readonly row?: Shape<Row> | StandardSchema<Row>;
  /** The column that holds the id of a row. Default: the index is the id. */
  readonly id?: string;
}

export const tableOptions = ["columns", "types", "row", "id", "indexDir", "maxLineBytes"] as const;

export interface TableFormat {
  readonly format: string;
  readonly hasQuotes: boolean;
  readonly split: SplitRecord;
}

/** Opens a table of lines. */
export function openTable<Row>(
  path: string,
  { row: schema, id, columns, types = {}, ...options }: TableOptions<Row>,
  { format, hasQuotes, split }: TableFormat,
): Promise<Dataset<Row>> {
  return openLines<Row>(path, {
    format,
    hasQuotes,
    blank: "empty",
    options,
    prepare: ({ name }, first) => {
      const header = { row: -1, offset: 0 };
      const names = columns ?? split(rowText(wholeBuffer(first), name, header), name, header);
      checkColumns(name, names, { types, id });
      const kinds = names.map((column) => types[column] ?? "text");
      const check = rowChecker<Row>(name, schema);
      const parse = (text: string, place: RowPlace): Row => {
        const values = split(text, name, place);
        if (values.length !== names.length) throw wrongCount(name, place, values.length, names);
        const row: Record<string, unknown> = {};
        for (let i = 0; i < names.length; i++) {
          const [column, type] = [names[i]!, kinds[i]!];
          row[column] = type === "text" ? values[i]! : convertValue(values[i]!, type, { ...place, file: name, column });
        }
        return check(row, place);
      };
      const skipped = columns === undefined && first.length > 0 ? 1 : 0;
      // Values are slices of their line.
      return { skipped, copiesText: false, parse, idOf: idReader(name, id) };
    },
  });
}

function checkColumns(
  file: string,
  names: readonly string[],
  { types, id }: { readonly types: Readonly<Record<string, ColumnType>>; readonly id: string | undefined },
): void {
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined || names.includes("__proto__")) {
    throw refuseFile(
      file,
      0,
      `two columns have the name ${JSON.stringify(twice ?? "__proto__")}, or it cannot be a key`,
      {
        hint: "Give `columns` if the table has no header; otherwise correct the first line.",
      },
    );
  }
  const asked = [...Object.keys(types), ...(id === undefined ? [] : [id])];
  const missing = asked.find((name) => !names.includes(name));
  if (missing !== undefined) {
    const near = nearestName(missing, names);
    throw new MillraceError("BAD_OPTION", `${file} has no column ${JSON.stringify(missing)}.`, {
      hint: near === undefined ? `It has: ${names.slice(0, 20).join(", ")}.` : `Did you mean ${near}?`,
    });
  }
  const unknown = Object.entries(types).find(([, type]) => !columnTypes.includes(type));
  if (unknown !== undefined) {
    throw new MillraceError("BAD_OPTION", `types.${unknown[0]} is ${JSON.stringify(unknown[1])}.`, {
      hint: `A column is one of: ${columnTypes.join(", ")}.`,
    });
  }
}

function wrongCount(file: string, { row, offset }: RowPlace, count: number, names: readonly string[]): Error {
  return refuseFile(file, offset, `row ${row} has ${count} values, and there are ${names.length} columns`, {
    hint: `The columns are ${names.slice(0, 20).join(", ")}. Correct the row; a table without a header needs \`columns\`.`,
  });
}
