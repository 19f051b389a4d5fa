import { type Bytes, toByteSource } from "../byte-source.ts";
import { type LineProblem, LineProblems } from "./line-problems.ts";
import type { Line } from "./line-splitter.ts";
import { readTextLines } from "./read-text-lines.ts";

/** Which columns a table has, and what is done with lines that do not fit. */
export interface ParseTsvOptions<Column extends string> {
  /** The columns, in the order in which they stand where there is no header. */
  readonly columns: readonly Column[];
  /** Whether the first line names the columns, in any order. Default: `auto`, if it holds exactly these names. */
  readonly header?: boolean | "auto";
  /** The column whose values must differ from each other. */
  readonly id?: Column;
  /** Says what is wrong with a row that has its columns, or nothing; it is reported with the line of the row. */
  readonly check?: (row: TsvRow<Column>) => string | undefined;
  /** Is told what is wrong line by line; such lines are then left out. Without it, all of them are one error. */
  readonly onProblem?: (problem: LineProblem) => void;
}

/** One row of a table, by the names of its columns. */
export type TsvRow<Column extends string> = Readonly<Record<Column, string>>;

const maxLineBytes = 1 << 24;

/**
 * The rows of a manifest: values between tabs, as they stand (no quotes, no escapes: Kaldi's and ESPnet's have none).
 * Wrong numbers of columns and ids that come twice are reported with their lines, all of them at once.
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
