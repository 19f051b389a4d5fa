import { layouts } from "../nd-array.ts";
import { refuseFile } from "../refuse-file.ts";
import type { KaldiValue } from "./kaldi-value.ts";

/** First and last row (or column), both included; undefined for all of them. */
type Span = readonly [first: number, last: number] | undefined;

/** A part of a matrix or vector. For a vector, `rows` are its elements. */
export interface KaldiRange {
  readonly rows: Span;
  readonly columns: Span;
}

/** Kaldi accepts an end that is up to three rows too far: segment times and frame counts rarely agree to the frame. */
const forgivenRows = 3;

/** Parses `0:9`, `0:9,2:3` or `:,2:3`; undefined for anything else. */
export function parseKaldiRange(text: string): KaldiRange | undefined {
  const spans = text.split(",").map(parseSpan);
  if (spans.length > 2 || spans.includes(null)) return undefined;
  return { rows: spans[0]?.span, columns: spans[1]?.span };
}

function parseSpan(text: string): { readonly span: Span } | null {
  if (text === "" || text === ":") return { span: undefined };
  const match = /^(\d{1,10}):(\d{1,10})$/.exec(text);
  return match === null ? null : { span: [Number(match[1]), Number(match[2])] };
}

/** The range in the form of scp lines. */
export function formatKaldiRange({ rows, columns }: KaldiRange): string {
  const formatSpan = (span: Span): string => (span === undefined ? ":" : `${span[0]}:${span[1]}`);
  return columns === undefined ? formatSpan(rows) : `${formatSpan(rows)},${formatSpan(columns)}`;
}

/** The part of a value that a range selects, as a new array. `name` is the value's name in errors. */
export function selectRange(value: KaldiValue, range: KaldiRange, name: string): KaldiValue {
  const refuse = (why: string): Error =>
    refuseFile(name, undefined, `the range [${formatKaldiRange(range)}] ${why} (${value.shape.join(" x ")})`, {
      hint: "Both ends are included and counted from 0: a matrix of 10 rows is [0:9].",
    });
  const [rowCount, columnCount] = [value.shape[0]!, value.shape[1] ?? 1];
  if (value.shape.length === 1 && range.columns !== undefined) throw refuse("names columns of a vector");
  const rows = range.rows ?? [0, rowCount - 1];
  const columns = range.columns ?? [0, columnCount - 1];
  const slack = value.shape.length === 2 ? forgivenRows : 0;
  const [first, last] = [rows[0], Math.min(rows[1], rowCount - 1)];
  const isWithin =
    first <= last && rows[1] <= rowCount - 1 + slack && columns[0] <= columns[1] && columns[1] < columnCount;
  if (!isWithin) throw refuse("is not within the value");
  const width = columns[1] - columns[0] + 1;
  const data = new layouts[value.dtype].arrayClass((last - first + 1) * width);
  for (let row = first; row <= last; row++) {
    const start = row * columnCount + columns[0];
    (data as Float32Array).set(value.data.subarray(start, start + width) as Float32Array, (row - first) * width);
  }
  const shape = value.shape.length === 1 ? [last - first + 1] : [last - first + 1, width];
  return { dtype: value.dtype, shape, data } as KaldiValue;
}
