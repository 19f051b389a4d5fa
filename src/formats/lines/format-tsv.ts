import { MillraceError } from "../../errors/errors.ts";
import type { TsvRow } from "./parse-tsv.ts";

/** One line of a manifest, with its line break. A value that would add a column or line is refused. */
export function formatTsvRow<Column extends string>(row: TsvRow<Column>, columns: readonly Column[]): string {
  const values = columns.map((column) => checkValue(row[column], column));
  // A single empty value would be an empty line, which readers skip.
  if (values.length === 1 && values[0] === "") throw badValue(columns[0]!, "is empty, and is the only one of its line");
  return `${values.join("\t")}\n`;
}

/** The line that names the columns. */
export function formatTsvHeader(columns: readonly string[]): string {
  return `${columns.map((column) => checkValue(column, "header")).join("\t")}\n`;
}

function checkValue(value: unknown, column: string): string {
  if (typeof value !== "string") throw badValue(column, `is ${value === null ? "null" : typeof value}, not a text`);
  if (/[\t\n\r]/.test(value))
    throw badValue(column, `holds a tab or a line break: ${JSON.stringify(value.slice(0, 80))}`);
  if (/\p{Surrogate}/u.test(value)) throw badValue(column, "holds half a character");
  return value;
}

function badValue(column: string, why: string): MillraceError {
  return new MillraceError("BAD_RECORD", `A value of the column ${JSON.stringify(column)} ${why}.`, {
    hint: "Manifests have no quotes and no escapes. Clean the text before it is written, or write JSONL.",
  });
}
