import { OutputMeter, tooMuchOutput } from "../input/output-limit.ts";
import { refuseFile } from "./refuse-file.ts";

/** The position of a JSON text, and the maximum memory of its value. */
export interface JsonPlace {
  readonly file: string;
  readonly offset: number;
  /** Its name in messages: "the header". */
  readonly what: string;
  /** Its number behind the name: a row must not cost a text that only an error needs. */
  readonly number?: number | undefined;
  readonly limit: number;
}

/** Deeper than Python's json module reads or writes; a text of only brackets would take fifty times its size. */
const deepest = 1000;

// The maximum memory per character of JSON, in bytes: an object or list, an entry of one, a character of a string.
const containerBytes = 80;
const entryBytes = 24;
const letterBytes = 2;

/** The value of a JSON text, unless it is nested too deeply or would take too much memory. */
export function parseJson(text: string, place: JsonPlace): unknown {
  const { file, offset } = place;
  if (hasManyBrackets(text) && depthOf(text) > deepest) {
    throw refuseFile(file, offset, `${nameOf(place)} is nested deeper than ${deepest} levels`);
  }
  if (text.length * (containerBytes + letterBytes) > place.limit) checkSize(text, place);
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw refuseFile(file, offset, `${nameOf(place)} is not JSON`, { cause });
  }
}

function nameOf({ what, number }: JsonPlace): string {
  return number === undefined ? what : `${what} ${number}`;
}

/** True if a text could be nested too deeply: most have few brackets, and counting those is fast. */
function hasManyBrackets(text: string): boolean {
  if (text.length <= deepest) return false;
  let count = 0;
  for (const bracket of ["[", "{"]) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1))
      if (++count > deepest) return true;
  }
  return false;
}

/** The maximum nesting depth of brackets, without those in strings. */
function depthOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === quote) at = endOfText(text, at);
    else if (sign === openList || sign === openObject) deepest = Math.max(deepest, ++depth);
    else if (sign === closeList || sign === closeObject) depth--;
  }
  return deepest;
}

/** Estimates the memory of a value before it is created. */
function checkSize(text: string, place: JsonPlace): void {
  const { file, offset, limit } = place;
  const where = `${file}, offset ${offset}`;
  const meter = new OutputMeter(limit, () => tooMuchOutput("BAD_FILE", { where, what: nameOf(place), limit }));
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === openList || sign === openObject) meter.spend(containerBytes);
    else if (sign === comma || sign === colon) meter.spend(entryBytes);
    else if (sign === quote) {
      const end = endOfText(text, at);
      meter.spend(entryBytes + letterBytes * (end - at));
      at = end;
    }
  }
}

const [quote, backslash, comma, colon] = [34, 92, 44, 58];
const [openList, closeList, openObject, closeObject] = [91, 93, 123, 125];

/** The position of the quote that ends a string; the end of the text if there is none. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === quote) return at;
    if (sign === backslash) at++;
  }
  return text.length;
}
