// Longer strings are copied faster by JSON.stringify, and so is text that needs an escape or more than a byte a letter.
const longestString = 256;
const mostOfValue = longestString + 16;
const [quote, comma, minus, zero, backslash, open, close, newline] = [34, 44, 45, 48, 92, 123, 125, 10];

/**
 * Puts a plain object of numbers, booleans and short ASCII strings into a buffer as a line of JSON, with the very bytes of
 * JSON.stringify but no string made: tiny records are written several times as fast. Answers where the line ends, or -1 for
 * a record that is left to JSON.stringify, or for which there is no room.
 */
export function putJsonLine(record: unknown, into: Uint8Array, start: number): number {
  if (typeof record !== "object" || record === null || Object.getPrototypeOf(record) !== Object.prototype) return -1;
  try {
    return putFields(record as Record<string, unknown>, into, start);
  } catch {
    // A getter that throws: JSON.stringify meets it too, where errors are explained.
    return -1;
  }
}

function putFields(record: Record<string, unknown>, into: Uint8Array, start: number): number {
  if (record["toJSON"] !== undefined) return -1;
  let at = start;
  for (const key of Object.keys(record)) {
    const value = record[key];
    if (value === undefined) continue;
    const name = nameOf(key);
    if (at + name.length + mostOfValue > into.length) return -1;
    into[at] = at === start ? open : comma;
    at++;
    for (let i = 0; i < name.length; i++) into[at++] = name[i]!;
    at = putValue(value, into, at);
    if (at === -1) return -1;
  }
  if (at === start) return -1;
  into[at] = close;
  into[at + 1] = newline;
  return at + 2;
}

function putValue(value: unknown, into: Uint8Array, at: number): number {
  if (typeof value === "number") return putNumber(value, into, at);
  if (typeof value === "string") return putString(value, into, at);
  if (typeof value === "boolean" || value === null) return putAscii(String(value), into, at);
  return -1;
}

function putNumber(value: number, into: Uint8Array, at: number): number {
  const isSmall = (value | 0) === value && value > -1e9 && value < 1e9;
  if (!isSmall) return putAscii(Number.isFinite(value) ? String(value) : "null", into, at);
  let rest = value;
  let from = at;
  if (rest < 0) {
    into[from++] = minus;
    rest = -rest;
  }
  let end = from + 1;
  for (let bound = 10; rest >= bound; bound *= 10) end++;
  for (let i = end - 1; i >= from; i--) {
    const tenth = (rest / 10) | 0;
    into[i] = zero + rest - tenth * 10;
    rest = tenth;
  }
  return end;
}

function putAscii(text: string, into: Uint8Array, at: number): number {
  for (let i = 0; i < text.length; i++) into[at + i] = text.charCodeAt(i);
  return at + text.length;
}

function putString(text: string, into: Uint8Array, at: number): number {
  if (text.length > longestString) return -1;
  into[at] = quote;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 32 || code > 126 || code === quote || code === backslash) return -1;
    into[at + 1 + i] = code;
  }
  into[at + 1 + text.length] = quote;
  return at + text.length + 2;
}

const names = new Map<string, Uint8Array>();
// Names may come from the data: those of a record's fields are kept, but not one for each of a million items.
const mostNames = 256;

function nameOf(key: string): Uint8Array {
  let name = names.get(key);
  if (name === undefined) {
    name = Buffer.from(`${JSON.stringify(key)}:`);
    if (names.size < mostNames) names.set(key, name);
  }
  return name;
}
