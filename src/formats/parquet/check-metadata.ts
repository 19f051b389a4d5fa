import type { ColumnMetaData, FileMetaData, SchemaElement } from "hyparquet";
import { ByteCursor } from "../byte-cursor.ts";
import type { ByteSource } from "../byte-source.ts";
import { readBytes } from "../read-bytes.ts";
import { refuseFile } from "../refuse-file.ts";
import { footerShape } from "./footer-shape.ts";
import { readThrift } from "./thrift.ts";

const magic = "PAR1";
const maxFooterBytes = 64 * 1024 * 1024;

/** Where the data of a file end and its footer begins, after a look at whether the footer is sound. */
export function checkFooter(source: ByteSource): number {
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
  readThrift(new ByteCursor(source, size - 8 - length), size - 8, footerShape);
  return size - 8 - length;
}

/** A column that holds values: a leaf of the schema's tree. */
export interface LeafColumn {
  readonly path: string;
  readonly type: string;
  readonly typeLength: number;
  /** How many of its levels may be null or repeated. */
  readonly maxDefinition: number;
  readonly maxRepetition: number;
}

/** What the reader needs to know of a group of rows. */
export interface CheckedGroup {
  readonly rows: number;
  readonly columns: readonly { readonly column: ColumnMetaData; readonly leaf: LeafColumn }[];
}

/** Compares the parts of a footer with each other: the library indexes by them without asking. */
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

const noParent: LeafColumn = { path: "", type: "", typeLength: 0, maxDefinition: 0, maxRepetition: 0 };

/** The columns that hold values, found by walking the flattened tree of the schema. */
function leavesOf(schema: readonly SchemaElement[], refuse: (why: string) => Error): LeafColumn[] {
  const leaves: LeafColumn[] = [];
  let at = 1;
  const visit = (parent: LeafColumn, depth: number): void => {
    const element = schema[at++];
    if (element === undefined || depth > 32) throw refuse("the schema has fewer elements than it says");
    const inner = insideOf(parent, element, depth, refuse);
    const children = childrenOf(element, schema.length - at, refuse);
    if (children === 0) leaves.push(inner);
    if (children === 0 && inner.type === "") throw refuse("the schema has a column without a type");
    for (let i = 0; i < children; i++) visit(inner, depth + 1);
  };
  const [root] = schema;
  const columns = root === undefined ? 0 : childrenOf(root, schema.length - 1, refuse);
  for (let i = 0; i < columns; i++) visit(noParent, 1);
  if (at !== schema.length) throw refuse("the schema has more elements than it says");
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
  return {
    path: depth === 1 ? name : `${parent.path}\0${name}`,
    type,
    typeLength,
    maxDefinition: parent.maxDefinition + (repetition === "REQUIRED" ? 0 : 1),
    maxRepetition: parent.maxRepetition + (repetition === "REPEATED" ? 1 : 0),
  };
}

function childrenOf(
  { num_children: children = 0 }: SchemaElement,
  most: number,
  refuse: (why: string) => Error,
): number {
  if (children < 0 || children > most) throw refuse("the schema has fewer elements than it says");
  return children;
}
