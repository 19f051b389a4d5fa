import { MillraceError } from "../../errors/errors.ts";
import { nearestName } from "../../text/nearest-name.ts";
import { isParquetType, listElement, type ParquetColumn, type ParquetScalar } from "./parquet-column.ts";

/** A row to write: values by the names of the columns. */
export type ParquetRow = Readonly<Record<string, unknown>>;

/** Refuses columns that no file can have. */
export function checkColumns(columns: readonly ParquetColumn[]): void {
  const names = new Set(columns.map(({ name }) => name));
  const unknown = columns.find(({ type }) => !isParquetType(type));
  if (columns.length > 0 && names.size === columns.length && !names.has("") && unknown === undefined) return;
  const why = unknown === undefined ? "names are empty or come twice" : `unknown type ${JSON.stringify(unknown.type)}`;
  throw new MillraceError("BAD_OPTION", `The columns of the Parquet file cannot be used: ${why}.`, {
    hint: "Types are string, int32, int64, float32, float64, bool, binary and list<…> of these.",
  });
}

/** Refuses a row with a value that has no column: it would be lost. */
export function checkKeys(row: ParquetRow, columns: readonly ParquetColumn[], number: number): void {
  for (const key of Object.keys(row)) {
    if (row[key] === undefined || columns.some(({ name }) => name === key)) continue;
    const names = columns.map(({ name }) => name);
    const near = nearestName(key, names);
    throw new MillraceError("BAD_RECORD", `Row ${number}: there is no column ${JSON.stringify(key)}.`, {
      hint: `${near === undefined ? "" : `Did you mean ${near}? `}The columns are ${names.join(", ")}: declare one more, or leave the key out.`,
    });
  }
}

/**
 * The value of a column in the form that the library writes; a value of another type is refused with row and column.
 */
export function checkValue(value: unknown, column: ParquetColumn, row: number): unknown {
  if (value === null || value === undefined) {
    if (column.nullable === true) return null;
    throw badValue(column, row, "is missing", "Set nullable: true if values may be missing.");
  }
  const element = listElement(column.type);
  if (element === undefined) return checkScalar(value, column.type as ParquetScalar, column, row);
  const isList = Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
  if (!isList) throw badValue(column, row, `is ${kindOf(value)}, not a list`);
  return Array.from(value as ArrayLike<unknown>, (item, i) => checkScalar(item, element, column, row, `[${i}]`));
}

function checkScalar(value: unknown, type: ParquetScalar, column: ParquetColumn, row: number, at = ""): unknown {
  if (type === "int64" && typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  if (isOfType(value, type)) return value;
  throw badValue(column, row, `is ${kindOf(value)}, which is no ${type}`, undefined, at);
}

function isOfType(value: unknown, type: ParquetScalar): boolean {
  if (type === "string") return typeof value === "string" && !/\p{Surrogate}/u.test(value);
  if (type === "bool") return typeof value === "boolean";
  if (type === "binary") return value instanceof Uint8Array;
  if (type === "int64") return typeof value === "bigint" && BigInt.asIntN(64, value) === value;
  if (type === "int32") return typeof value === "number" && value === (value | 0);
  if (typeof value !== "number") return false;
  // A value beyond its range would become infinite.
  return type === "float64" || !Number.isFinite(value) || Number.isFinite(Math.fround(value));
}

function kindOf(value: unknown): string {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  return Array.isArray(value) ? "an array" : `a value of type ${typeof value}`;
}

function badValue(column: ParquetColumn, row: number, why: string, hint?: string, at = ""): MillraceError {
  const message = `Row ${row}: the value of ${JSON.stringify(column.name)}${at} ${why}.`;
  return new MillraceError("BAD_RECORD", message, {
    hint: hint ?? `The column is declared as ${column.type}. Change the declaration or the value.`,
  });
}
