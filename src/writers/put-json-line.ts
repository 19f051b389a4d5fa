// Longer strings are copied faster by JSON.stringify, and so is text that needs an escape or more than a byte a letter.
const longestString = 256;
const mostOfValue = longestString + 16;
const [quote, comma, minus, zero, backslash, open, close, newline] = [34, 44, 45, 48, 92, 123, 125, 10];

/**
 * Puts a plain object of finite numbers, booleans and short ASCII strings into a buffer as a line of JSON, with the very bytes of
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

// One long function, because V8 puts short ones into each of their callers and optimises them there once more: in a run of a
// quarter of a second that took more time than the records.
function putFields(record: Record<string, unknown>, into: Uint8Array, start: number): number {
  if (record["toJSON"] !== undefined) return -1;
  let at = start;
  let field = 0;
  // Makes no list of the keys, as Object.keys would for every record; what is inherited is passed over.
  for (const key in record) {
    if (!hasOwn.call(record, key)) continue;
    const name = key === lastKeys[field] ? lastNames[field]! : nameOf(key, field);
    field++;
    const value = record[key];
    if (at + name.length + mostOfValue > into.length) return -1;
    into[at] = at === start ? open : comma;
    at++;
    for (let i = 0; i < name.length; i++) into[at++] = name[i]!;

    if (typeof value === "string") {
      if (value.length > longestString) return -1;
      into[at++] = quote;
      for (let i = 0; i < value.length; i++) {
        const code = value.charCodeAt(i);
        if (code < 32 || code > 126 || code === quote || code === backslash) return -1;
        into[at++] = code;
      }
      into[at++] = quote;
      continue;
    }
    if (typeof value === "number" && (value | 0) === value && value > -1e9 && value < 1e9) {
      let rest = value;
      if (rest < 0) {
        into[at++] = minus;
        rest = -rest;
      }
      let end = at + 1;
      for (let bound = 10; rest >= bound; bound *= 10) end++;
      for (let i = end - 1; i >= at; i--) {
        const tenth = (rest / 10) | 0;
        into[i] = zero + rest - tenth * 10;
        rest = tenth;
      }
      at = end;
      continue;
    }
    let text: string;
    // NaN, the infinities and undefined are for the slower way, which says what is wrong with them.
    if (typeof value === "number" ? Number.isFinite(value) : typeof value === "boolean" || value === null)
      text = String(value);
    else return -1;
    for (let i = 0; i < text.length; i++) into[at++] = text.charCodeAt(i);
  }
  if (at === start) return -1;
  into[at] = close;
  into[at + 1] = newline;
  return at + 2;
}

const { hasOwnProperty: hasOwn } = Object.prototype;
const names = new Map<string, Uint8Array>();
// Names may come from the data: those of a record's fields are kept, but not one for each of a million items.
const mostNames = 256;
// The fields of the record before: the next one has the same, as a rule, and nothing is to be looked up.
const lastKeys: string[] = [];
const lastNames: Uint8Array[] = [];

function nameOf(key: string, field: number): Uint8Array {
  let name = names.get(key);
  if (name === undefined) {
    name = Buffer.from(`${JSON.stringify(key)}:`);
    if (names.size < mostNames) names.set(key, name);
  }
  if (field < mostNames) {
    lastKeys[field] = key;
    lastNames[field] = name;
  }
  return name;
}
