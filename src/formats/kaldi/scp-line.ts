import { MillraceError } from "../../shared/errors.ts";
import { checkKaldiKey } from "./encode-ark-entry.ts";
import { formatKaldiRange, type KaldiRange, parseKaldiRange } from "./kaldi-range.ts";

/** One line of an scp list: where the value of a key is. */
export interface ScpEntry {
  readonly key: string;
  readonly path: string;
  /** Where in the file the value begins; undefined for a file that holds this value only. */
  readonly offset?: number;
  readonly range?: KaldiRange;
}

/** Reads `utt1 feats.ark:123[0:9,2:3]`. What cannot be used comes back as the reason. */
export function parseScpLine(line: string): ScpEntry | string {
  const [, key, location] = /^(\S+)[ \t]+(.*\S)\s*$/.exec(line) ?? [];
  if (key === undefined || location === undefined) return "should be a key, a space and a file";
  if (location.startsWith("|") || location.endsWith("|")) {
    return `names a command (${shorten(location)}); commands of scp lists are never run: run it yourself and list its output`;
  }
  if (location === "-") return "names the standard input; name a file";
  const [, withoutRange, rangeText] = /^(.+)\[([^[\]]*)\]$/.exec(location) ?? [undefined, location, undefined];
  const range = rangeText === undefined ? undefined : parseKaldiRange(rangeText);
  if (rangeText !== undefined && range === undefined)
    return `has a range that is not rows,columns: [${shorten(rangeText)}]`;
  const [, path, offsetText] = /^(.+):(\d+)$/.exec(withoutRange!) ?? [undefined, withoutRange!, undefined];
  const offset = offsetText === undefined ? undefined : Number(offsetText);
  if (offset !== undefined && !Number.isSafeInteger(offset)) return `has an offset that no file has: ${offsetText}`;
  return { key, path: path!, ...(offset !== undefined && { offset }), ...(range !== undefined && { range }) };
}

/** The line of an entry, with its line break. A path that would be read as something else is refused. */
export function formatScpLine(entry: ScpEntry): string {
  const { key, path, offset, range } = entry;
  const line = `${checkKaldiKey(key)} ${path}${offset === undefined ? "" : `:${offset}`}${
    range === undefined ? "" : `[${formatKaldiRange(range)}]`
  }`;
  const back = /[\r\n\0]/.test(path) ? "has a line break" : parseScpLine(line);
  if (typeof back !== "string" && back.path === path && back.offset === offset) return `${line}\n`;
  throw new MillraceError("BAD_RECORD", `The path ${JSON.stringify(path)} cannot stand in an scp list.`, {
    hint: "Choose one without line breaks, spaces at its ends, a pipe sign at its ends, [ ] or a colon and digits at its end.",
  });
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
