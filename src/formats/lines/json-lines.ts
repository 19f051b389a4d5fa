import { MillraceError } from "../../errors/errors.ts";
import { outputLimit } from "../../input/output-limit.ts";
import { type Bytes, toByteSource } from "../byte-source.ts";
import { parseJson } from "../parse-json.ts";
import { jsonText } from "./json-text.ts";
import type { Line, LineLimits } from "./line-splitter.ts";
import { readTextLines } from "./read-text-lines.ts";

/** The records of JSON lines, one after the other. Empty lines are skipped. */
export function* parseJsonl<Record = unknown>(input: Bytes, limits: LineLimits = {}): Generator<Record> {
  const source = toByteSource(input);
  const limit = outputLimit(source.size, limits);
  for (const line of readTextLines(source, limits)) {
    if (line.text.trim() !== "") yield parseJsonLine<Record>(line, source.name, limit);
  }
}

/** The record of one line; `limit` is its maximum memory in bytes. */
export function parseJsonLine<Record>({ text, number, offset }: Line, file: string, limit: number): Record {
  return parseJson(text, { file, offset, what: "line", number, limit }) as Record;
}

/** A record as a line, with its line break; a value that JSON would change is refused with its path. */
export function encodeJsonLine(record: unknown): string {
  const made = jsonText(record, { root: "record" });
  if ("text" in made) return `${made.text}\n`;
  throw new MillraceError("BAD_RECORD", `A record cannot be written as JSON: ${made.problem}.`, made);
}
