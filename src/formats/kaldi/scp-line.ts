import { MillraceError } from "../../errors/errors.ts";
import { splitListLine } from "../split-list-line.ts";
import { checkKaldiKey } from "./encode-ark-entry.ts";
import { formatKaldiRange, type KaldiRange, parseKaldiRange } from "./kaldi-range.ts";

/** One line of an scp list: the location of a key's value. */
export interface ScpEntry {
  readonly key: string;
  readonly path: string;
  /** The offset of the value in the file; undefined for a file with only this value. */
  readonly offset?: number;
  readonly range?: KaldiRange;
}

/** Parses `utt1 feats.ark:123[0:9,2:3]`. Returns the reason if it cannot be used. */
export function parseScpLine(line: string): ScpEntry | string {
  const split = splitListLine(line);
  if (split === undefined) return "should be a key, a space and a file";
  const { id: key, place: location } = split;
  const [, withoutRange, rangeText] = /^(.+)\[([^[\]]*)\]$/.exec(location) ?? [undefined, location, undefined];
  if (location.startsWith("|") || withoutRange!.endsWith("|")) {
    return `names a command (${shorten(location)}); commands of scp lists are never run: run it yourself and list its output`;
  }
  if (location === "-") return "names the standard input; name a file";
  const range = rangeText === undefined ? undefined : parseKaldiRange(rangeText);
  if (rangeText !== undefined && range === undefined)
    return `has a range that is not rows,columns: [${shorten(rangeText)}]`;
  const [, path, offsetText] = /^(.+):(\d+)$/.exec(withoutRange!) ?? [undefined, withoutRange!, undefined];
  const offset = offsetText === undefined ? undefined : Number(offsetText);
  if (offset !== undefined && !Number.isSafeInteger(offset)) return `has an offset that no file has: ${offsetText}`;
  return { key, path: path!, ...(offset !== undefined && { offset }), ...(range !== undefined && { range }) };
}

/** The line of an entry, with its line break. A path that would be parsed as something else is refused. */
export function formatScpLine(entry: ScpEntry): string {
  const { key, path, offset, range } = entry;
  const line = `${checkKaldiKey(key)} ${path}${offset === undefined ? "" : `:${offset}`}${
    range === undefined ? "" : `[${formatKaldiRange(range)}]`
  }`;
  const back = /[\r\n\0]/.test(path) ? "has a line break" : parseScpLine(line);
  if (typeof back !== "string" && back.path === path && back.offset === offset) return `${line}\n`;
  throw new MillraceError("BAD_RECORD", `The path ${JSON.stringify(path)} cannot be used in an scp list.`, {
    hint: "Choose one without line breaks, spaces at its ends, a pipe sign at its ends, [ ] or a colon and digits at its end.",
  });
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
