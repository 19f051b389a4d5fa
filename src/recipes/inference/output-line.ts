import { MillraceError } from "../../index.ts";
import { describeValue } from "./describe-value.ts";

/** One record of an scp file: an id, and a value or the path of a file. */
export interface OutputEntry {
  readonly id: string;
  readonly value: string;
}

// What some program takes for the end of a line, or UTF-8 cannot say: control characters, the line and paragraph
// separators, and half a surrogate pair. Tabs stay: they are ordinary in texts.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const odd = /[\\\0-\x08\n-\x1f\x7f-\x9f\u2028\u2029]|\p{Surrogate}/gu;
const escaped = /\\(?:([\\nr])|u([0-9a-f]{4}))/g;
const short: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r" };
const long: Readonly<Record<string, string>> = { "\\": "\\", n: "\n", r: "\r" };

/** A line of an scp file. Ordinary text stays as it is; whatever would end the line is escaped with a backslash. */
export function formatOutputLine({ id, value }: OutputEntry): string {
  return `${id} ${value.replace(odd, escapeOne)}`;
}

function escapeOne(character: string): string {
  return short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The record of such a line. */
export function parseOutputLine(line: string): OutputEntry {
  const at = line.search(/[ \t]/);
  if (at === -1) return { id: line, value: "" };
  const value = line.slice(at + 1);
  return { id: line.slice(0, at), value: value.includes("\\") ? value.replace(escaped, unescapeOne) : value };
}

function unescapeOne(_all: string, letter: string | undefined, code: string | undefined): string {
  return letter === undefined ? String.fromCharCode(Number.parseInt(code!, 16)) : long[letter]!;
}

/** Checks the id of a result. White space in it would make the rest part of the value. */
export function checkScpId(key: string, value: unknown): string {
  if (typeof value === "bigint" || (typeof value === "number" && Number.isFinite(value))) return String(value);
  if (Array.isArray(value)) {
    throw new MillraceError("BAD_RECORD", `"${key}" must be a single value, not ${describeValue(value)}.`, {
      hint: "With batchSize, return one object for each item, each with its own id.",
    });
  }
  if (typeof value !== "string") {
    throw new MillraceError("BAD_RECORD", `"${key}" is ${describeValue(value)}; an id is a text or a number.`, {
      hint: `Return the id of the utterance as ${key}, or name the key that holds it with idxKey.`,
    });
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  const at = value === "" ? 0 : value.search(/[\s\0-\x1f\x7f-\x9f]|\p{Surrogate}/u);
  if (at === -1) return value;
  const what = value === "" ? "it is empty" : `${JSON.stringify(value[at])} is at position ${at}`;
  throw new MillraceError("BAD_RECORD", `The id ${describeValue(value)} cannot begin a line of an scp file: ${what}.`, {
    hint: "An id is one word: replace white space and control characters where the id is made.",
  });
}
