import { MillraceError } from "../../shared/errors.ts";
import { type Bytes, toByteSource } from "../byte-source.ts";
import { refuseFile } from "../refuse-file.ts";
import { jsonText } from "./json-text.ts";
import type { Line, LineLimits } from "./line-splitter.ts";
import { readTextLines } from "./read-text-lines.ts";

/** The records of JSON lines one after the other. Empty lines are passed over. */
export function* parseJsonl<Record = unknown>(input: Bytes, limits: LineLimits = {}): Generator<Record> {
  const source = toByteSource(input);
  for (const line of readTextLines(source, limits)) {
    if (line.text.trim() !== "") yield parseJsonLine<Record>(line, source.name);
  }
}

/** The record of one line. */
export function parseJsonLine<Record>({ text, number, offset }: Line, file: string): Record {
  try {
    return JSON.parse(text) as Record;
  } catch (cause) {
    throw refuseFile(file, offset, `line ${number} is not JSON`, { cause });
  }
}

/** A record as a line, with its line break; what JSON would turn into something else is refused with its path. */
export function encodeJsonLine(record: unknown): string {
  const made = jsonText(record, { root: "record" });
  if ("text" in made) return `${made.text}\n`;
  throw new MillraceError("BAD_RECORD", `A record cannot be written as JSON: ${made.problem}.`, made);
}
