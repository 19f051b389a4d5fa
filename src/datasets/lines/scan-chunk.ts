/** What a part of a text says about its lines. Offsets are from the beginning of the part. */
export interface ChunkLines {
  /** Where rows begin: lines that are not blank, but not the one that is open when the part begins. */
  readonly starts: Uint32Array;
  /** What the part has of the line that is open when it begins: text, only blanks up to its end, or only blanks. */
  readonly leading: "text" | "blank-line" | "blank";
  /** Whether the line that is open at the end has only blanks so far; it begins at `openStart`. */
  readonly openStart: number | undefined;
}

const lineFeed = 10;

/** Which lines are no rows: those of white space alone, or, where white space may be a value, only empty ones. */
export type BlankLines = "white space" | "empty";

/** Finds the lines of a part of a text. Parts are independent of each other, so that several threads can do this. */
export function scanChunk(bytes: Buffer, blank: BlankLines): ChunkLines {
  const isBlank = blank === "empty" ? isEmpty : isWhiteSpace;
  const first = bytes.indexOf(lineFeed);
  if (first === -1) {
    return {
      starts: new Uint32Array(0),
      leading: isBlank(bytes, 0, bytes.length) ? "blank" : "text",
      openStart: undefined,
    };
  }
  let starts = new Uint32Array(1024);
  let count = 0;
  let at = first + 1;
  let openStart: number | undefined;
  while (at < bytes.length) {
    const next = bytes.indexOf(lineFeed, at);
    const end = next === -1 ? bytes.length : next;
    if (bytes[at]! > 32 || !isBlank(bytes, at, end)) {
      if (count === starts.length) starts = grown(starts);
      starts[count++] = at;
    } else if (next === -1) openStart = at;
    at = end + 1;
  }
  if (at === bytes.length) openStart = at;
  const leading = isBlank(bytes, 0, first) ? "blank-line" : "text";
  return { starts: starts.slice(0, count), leading, openStart };
}

function grown(starts: Uint32Array): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(starts.length * 2);
  longer.set(starts);
  return longer;
}

/** The end of a line may be CR LF. */
function isEmpty(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] !== 13) return false;
  return true;
}

function isWhiteSpace(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    if (byte !== 32 && (byte < 9 || byte > 13)) return false;
  }
  return true;
}
