import { refuseFile } from "../../formats/refuse-file.ts";
import type { RowPlace } from "../lines/row-values.ts";

/** The types that a column can have; a text is left as it is. */
export type ColumnType = "text" | "number" | "int" | "boolean";

export const columnTypes: readonly ColumnType[] = ["text", "number", "int", "boolean"];

/** A text as the type of its column; one that is not of that type is an error with its place. */
export function convertValue(
  text: string,
  type: ColumnType,
  at: RowPlace & { readonly file: string; readonly column: string },
): string | number | boolean {
  if (type === "text") return text;
  if (type === "boolean") {
    if (text === "true" || text === "false") return text === "true";
  } else if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) {
    const value = Number(text);
    if (type === "number" ? Number.isFinite(value) : Number.isSafeInteger(value)) return value;
  }
  const wanted = { boolean: "true or false", int: "a whole number", number: "a number" }[type];
  const shown = JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
  throw refuseFile(at.file, at.offset, `row ${at.row}: ${at.column} is ${shown}; ${wanted} was expected`, {
    hint: `Correct the value, or leave ${at.column} out of \`types\` and convert it with map.`,
  });
}
