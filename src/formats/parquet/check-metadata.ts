import type { ColumnMetaData, FileMetaData, SchemaElement } from "hyparquet";
import { OutputMeter, tooMuchOutput } from "../../input/output-limit.ts";
import { ByteCursor } from "../byte-cursor.ts";
import type { ByteSource } from "../byte-source.ts";
import { readBytes } from "../read-bytes.ts";
import { refuseFile } from "../refuse-file.ts";
import { footerShape } from "./footer-shape.ts";
import { readThrift } from "./thrift.ts";

const magic = "PAR1";
/** Longer footers are refused. */
export const maxFooterBytes: number = 64 * 1024 * 1024;

/** The position of the footer, after a check that the footer is valid. */
export function checkFooter(source: ByteSource, limit: number): number {
  const { name, size } = source;
  const ends = Buffer.concat([
    readBytes(source, 0, 4, "the mark at the beginning"),
    readBytes(source, Math.max(4, size - 8), 8, "the mark at the end"),
  ]);
  if (ends.toString("latin1", 0, 4) !== magic) throw refuseFile(name, 0, "a Parquet file begins with PAR1");
  if (ends.toString("latin1", 8, 12) !== magic) throw refuseFile(name, size - 4, "a Parquet file ends with PAR1");
  const length = ends.readUInt32LE(4);
  if (length > Math.min(size - 12, maxFooterBytes))
    throw refuseFile(name, size - 8, `a footer of ${length} bytes cannot be`);
  const where = `${name}, offset ${size - 8 - length}`;
  const meter = new OutputMeter(limit, () => tooMuchOutput("BAD_FILE", { where, what: "its footer", limit }));
  readThrift(new ByteCursor(source, size - 8 - length), size - 8, { shape: footerShape, meter });
  return size - 8 - length;
}

/** A column with values: a leaf of the schema's tree. */
export interface LeafColumn {
  readonly path: string;
  readonly type: string;
  readonly typeLength: number;
  /** Whether its bytes become strings. */
  readonly isText: boolean;
  /** How many names its path has. */
  readonly depth: number;
  /** How many of its levels may be null or repeated. */
  readonly maxDefinition: number;
  readonly maxRepetition: number;
}

/** What the reader needs to know about a row group. */
export interface CheckedGroup {
  readonly rows: number;
  readonly columns: readonly { readonly column: ColumnMetaData; readonly leaf: LeafColumn }[];
}

/** Checks the parts of a footer for consistency: the library uses them as indices without checks. */
export function checkMetadata(metadata: FileMetaData, source: ByteSource, footer: number): CheckedGroup[] {
  const refuse = (why: string): Error => refuseFile(source.name, footer, `${why}`);
  const leaves = leavesOf(metadata.schema, refuse);
  return metadata.row_groups.map((group, i) => {
    const rows = Number(group.num_rows);
    if (!Number.isSafeInteger(rows) || rows < 0) throw refuse(`group ${i} cannot have ${rows} rows`);
    if (group.columns.length !== leaves.length) throw refuse(`group ${i} has ${group.columns.length} columns`);
    const columns = group.columns.map(({ meta_data: column, file_path: path }, j) => {
      if (column === undefined || path !== undefined) throw refuse(`column ${j} of group ${i} is not in this file`);
      const leaf = leaves[j]!;
      const isSame = column.path_in_schema.join("\0") === leaf.path && column.type === leaf.type;
      if (!isSame) throw refuse(`column ${j} of group ${i} is not in the schema`);
      return { column, leaf };
    });
    return { rows, columns };
  });
}

const noParent: LeafColumn = {
  path: "",
  type: "",
  typeLength: 0,
  isText: false,
  depth: 0,
  maxDefinition: 0,
  maxRepetition: 0,
};

// Arrow's longest decimals have 32 bytes; the library computes with every byte.
const longestDecimal = 64;
const textTypes: readonly (string | undefined)[] = ["UTF8", "ENUM", "STRING"];

/** The names of the columns, in order; the schema has been checked. */
export function topLevelNames(schema: readonly SchemaElement[]): string[] {
  const names: string[] = [];
  // The number of remaining elements of each open level.
  const open: number[] = [schema[0]?.num_children ?? 0];
  for (const { name, num_children: children = 0 } of schema.slice(1)) {
    if (open.length === 1) names.push(name);
    open[open.length - 1]!--;
    if (children > 0) open.push(children);
    while (open.length > 1 && open.at(-1) === 0) open.pop();
  }
  return [...new Set(names)];
}

/** The columns with values, found by walking the flattened tree of the schema. */
function leavesOf(schema: readonly SchemaElement[], refuse: (why: string) => Error): LeafColumn[] {
  const leaves: LeafColumn[] = [];
  let at = 1;
  const visit = (parent: LeafColumn, depth: number): void => {
    const element = schema[at++];
    if (element === undefined || depth > 32) throw refuse("the schema has fewer elements than it announces");
    const inner = insideOf(parent, element, depth, refuse);
    const children = childrenOf(element, schema.length - at, refuse);
    if (children === 0) leaves.push(inner);
    if (children === 0 && inner.type === "") throw refuse("the schema has a column without a type");
    for (let i = 0; i < children; i++) visit(inner, depth + 1);
  };
  const [root] = schema;
  const columns = root === undefined ? 0 : childrenOf(root, schema.length - 1, refuse);
  for (let i = 0; i < columns; i++) visit(noParent, 1);
  if (at !== schema.length) throw refuse("the schema has more elements than it announces");
  return leaves;
}

function insideOf(
  parent: LeafColumn,
  element: SchemaElement,
  depth: number,
  refuse: (why: string) => Error,
): LeafColumn {
  const { name, type = "", type_length: typeLength = 0, repetition_type: repetition, logical_type: logical } = element;
  if (typeof name !== "string") throw refuse("the schema has an element without a name");
  if (logical?.type === "VARIANT") throw refuse(`the column ${JSON.stringify(name)} is a VARIANT, which is not read`);
  if ((element.converted_type === "DECIMAL" || logical?.type === "DECIMAL") && typeLength > longestDecimal) {
    throw refuse(`the column ${JSON.stringify(name)} has decimals of ${typeLength} bytes`);
  }
  return {
    path: depth === 1 ? name : `${parent.path}\0${name}`,
    type,
    typeLength,
    isText: textTypes.includes(element.converted_type) || textTypes.includes(logical?.type),
    depth,
    maxDefinition: parent.maxDefinition + (repetition === "REQUIRED" ? 0 : 1),
    maxRepetition: parent.maxRepetition + (repetition === "REPEATED" ? 1 : 0),
  };
}

function childrenOf(
  { num_children: children = 0 }: SchemaElement,
  maxChildren: number,
  refuse: (why: string) => Error,
): number {
  if (children < 0 || children > maxChildren) throw refuse("the schema has fewer elements than it announces");
  return children;
}
