import { isUtf8 } from "node:buffer";
import { checkValue } from "../../config/check-value.ts";
import type { Shape } from "../../config/shape.ts";
import type { StandardSchema } from "../../config/standard-schema.ts";
import { MillraceError } from "../../errors/errors.ts";
import { refuseFile } from "../../formats/refuse-file.ts";
import { describeKind } from "../../values/state-json.ts";
import type { ByteRange } from "../source/byte-store.ts";

/** Where a row is in its file, for its own message. */
export interface RowPlace {
  readonly row: number;
  readonly offset: number;
}

// What a decoder puts in place of bytes that are not UTF-8. A text may hold it by itself, too.
const replacement = "\ufffd";

/** The text of a row, without its line break. */
export function rowText({ bytes, from, to, text: all }: ByteRange, file: string, { row, offset }: RowPlace): string {
  let end = to;
  while (end > from && (bytes[end - 1] === 10 || bytes[end - 1] === 13)) end--;
  if (all !== undefined) return all.slice(from, end);
  const text = bytes.toString("utf8", from, end);
  // The bytes are looked at again only in case of doubt: that costs more than decoding them.
  if (text.includes(replacement) && !isUtf8(bytes.subarray(from, to)))
    throw refuseFile(file, offset, `row ${row} is not UTF-8`);
  return text;
}

/** Checks each row against the schema that the user has given; without one, rows are what the user says they are. */
export function rowChecker<Row>(
  file: string,
  schema: Shape<Row> | StandardSchema<Row> | undefined,
): (value: unknown, place: RowPlace) => Row {
  if (schema === undefined) return (value) => value as Row;
  return (value, { row, offset }) => {
    const checked = checkValue(value, schema, []);
    if ("value" in checked) return checked.value;
    const [{ path, message, hint }] = checked.problems;
    const place = path.length === 0 ? "it" : path.join(".");
    throw refuseFile(file, offset, `row ${row}: ${place} ${message}`, {
      hint: hint ?? "Correct the row, or the schema that the dataset was opened with.",
    });
  };
}

/** Reads the id of a row from one of its keys. */
export function idReader(file: string, key: string | undefined): ((row: unknown, index: number) => string) | undefined {
  if (key === undefined) return undefined;
  if (typeof key !== "string") {
    throw new MillraceError("BAD_OPTION", `${file}: id is ${describeKind(key)}; the name of a key was expected.`, {
      hint: 'Write for instance { id: "utt_id" }, or leave it out: then the index is the id.',
    });
  }
  return (row, index) => {
    const value = typeof row === "object" && row !== null ? (row as Record<string, unknown>)[key] : undefined;
    if (typeof value === "string" || typeof value === "number") return String(value);
    throw new MillraceError(
      "BAD_FILE",
      `${file}: ${key} of row ${index} is ${describeKind(value)}; an id was expected.`,
      {
        hint: "Name a key that every row has as a text or a number, or leave `id` out: then the index is the id.",
      },
    );
  };
}
