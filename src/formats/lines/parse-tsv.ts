import { type Bytes, toByteSource } from "../byte-source.ts";
import { type LineProblem, LineProblems } from "./line-problems.ts";
import type { Line } from "./line-splitter.ts";
import { readTextLines } from "./read-text-lines.ts";

/** The columns of a table, and how wrong lines are handled. */
export interface ParseTsvOptions<Column extends string> {
  /** The columns, in their order if there is no header. */
  readonly columns: readonly Column[];
  /** Whether the first line is a header, in any order. Default: `auto`, if it has exactly these names. */
  readonly header?: boolean | "auto";
  /** The column whose values must differ from each other. */
  readonly id?: Column;
  /** Returns what is wrong with a row, or undefined; it is reported with the row's line. */
  readonly check?: (row: TsvRow<Column>) => string | undefined;
  /** Called for each wrong line, which is then skipped. Without it, one error reports all of them. */
  readonly onProblem?: (problem: LineProblem) => void;
}

/** One row of a table, by the names of its columns. */
export type TsvRow<Column extends string> = Readonly<Record<Column, string>>;

const maxLineBytes = 1 << 24;

/**
 * The rows of a manifest: values between tabs, unchanged (no quotes, no escapes, as in Kaldi and ESPnet). Wrong numbers
 * of columns and duplicate ids are reported with their lines, all at once.
 */
export function parseTsv<Column extends string>(input: Bytes, options: ParseTsvOptions<Column>): TsvRow<Column>[] {
  const source = toByteSource(input);
  const { columns, id } = options;
  const problems = new LineProblems(source.name, options.onProblem);
  const lineOfId = new Map<string, number>();
  const rows: TsvRow<Column>[] = [];
  let order: readonly Column[] | undefined;
  for (const line of readTextLines(source, { maxLineBytes })) {
    if (line.text === "") continue;
    const values = line.text.split("\t");
    if (order === undefined) {
      const isHeader = options.header ?? "auto";
      const named = isHeader === "auto" ? sameNames(values, columns) : isHeader;
      order = named ? (values as Column[]) : columns;
      if (named && !sameNames(values, columns)) {
        problems.add(line.number, `should name the columns ${columns.join(", ")}, and is ${shorten(line.text)}`);
        order = columns;
      }
      if (named) continue;
    }
    const what = problemOf(line, values, order, id, lineOfId);
    const row = Object.fromEntries(order.map((column, i) => [column, values[i]])) as TsvRow<Column>;
    const problem = what ?? options.check?.(row);
    if (problem !== undefined) problems.add(line.number, problem);
    else rows.push(row);
  }
  problems.throwIfAny(`Each line has ${columns.length} values between tabs: ${columns.join(", ")}.`);
  return rows;
}

function problemOf<Column extends string>(
  line: Line,
  values: readonly string[],
  order: readonly Column[],
  id: Column | undefined,
  lineOfId: Map<string, number>,
): string | undefined {
  if (values.length !== order.length) {
    return `has ${values.length} ${values.length === 1 ? "value" : "values"} instead of ${order.length}: ${shorten(line.text)}`;
  }
  if (id === undefined) return undefined;
  const value = values[order.indexOf(id)]!;
  if (value === "") return `has an empty ${id}`;
  const before = lineOfId.get(value);
  if (before !== undefined) return `the ${id} ${JSON.stringify(shorten(value))} is already on line ${before}`;
  lineOfId.set(value, line.number);
  return undefined;
}

function sameNames(values: readonly string[], columns: readonly string[]): boolean {
  return values.length === columns.length && columns.every((column) => values.includes(column));
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
