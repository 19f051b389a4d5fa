import { refuseFile } from "../../formats/refuse-file.ts";
import type { RowPlace } from "../lines/row-values.ts";

/** Splits one line of a table into its values. */
export type SplitRecord = (text: string, file: string, place: RowPlace) => string[];

/** Values between tabs, unchanged: no quotes and no escapes, as in Kaldi and ESPnet. */
export const splitTabs: SplitRecord = (text) => text.split("\t");

/** Values as RFC 4180 writes them: in quotes where they hold a separator, a quote (doubled) or a line break. */
export function splitQuoted(separator: string): SplitRecord {
  return (text, file, { row, offset }) => {
    if (!text.includes('"')) return text.split(separator);
    const values: string[] = [];
    for (let at = 0; ; at++) {
      if (text[at] !== '"') {
        const end = text.indexOf(separator, at);
        const value = text.slice(at, end === -1 ? text.length : end);
        if (value.includes('"')) throw stray(file, row, offset);
        values.push(value);
        if (end === -1) return values;
        at = end;
        continue;
      }
      let value = "";
      for (at++; ; ) {
        const end = text.indexOf('"', at);
        if (end === -1) throw stray(file, row, offset);
        value += text.slice(at, end);
        at = end + 1;
        if (text[at] !== '"') break;
        value += '"';
        at++;
      }
      values.push(value);
      if (at === text.length) return values;
      if (text[at] !== separator) throw stray(file, row, offset);
    }
  };
}

function stray(file: string, row: number, offset: number): Error {
  return refuseFile(file, offset, `row ${row} has a quote that neither begins nor ends a value`, {
    hint: 'A value with a quote is in quotes itself, and its quotes are doubled: "6"" long". Where quotes are plain characters, use openTsv.',
  });
}
