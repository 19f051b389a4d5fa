import type { SchemaElement } from "hyparquet";

/** The type of a single value. int64 is read as bigint; numbers are accepted when writing. */
export type ParquetScalar = "string" | "int32" | "int64" | "float32" | "float64" | "bool" | "binary";

/** A column of rows: single values or lists of them (`list<float32>`). */
export interface ParquetColumn {
  readonly name: string;
  readonly type: ParquetScalar | `list<${ParquetScalar}>`;
  /** Whether null and undefined are allowed as values. Default: false. */
  readonly nullable?: boolean;
}

const physical: Readonly<Record<ParquetScalar, Partial<SchemaElement>>> = {
  string: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  int32: { type: "INT32" },
  int64: { type: "INT64" },
  float32: { type: "FLOAT" },
  float64: { type: "DOUBLE" },
  bool: { type: "BOOLEAN" },
  binary: { type: "BYTE_ARRAY" },
};

/** The type of a list's values, or undefined for a column of single values. */
export function listElement(type: ParquetColumn["type"]): ParquetScalar | undefined {
  const [, element] = /^list<(\w+)>$/.exec(type) ?? [];
  return element as ParquetScalar | undefined;
}

/** True if a text is a column type. */
export function isParquetType(type: string): type is ParquetColumn["type"] {
  return Object.hasOwn(physical, listElement(type as ParquetColumn["type"]) ?? type);
}

/** The schema of a file; lists in the layout of the specification and Arrow. */
export function parquetSchemaOf(columns: readonly ParquetColumn[]): SchemaElement[] {
  const elements = columns.flatMap(({ name, type, nullable = false }): SchemaElement[] => {
    const repetition_type = nullable ? "OPTIONAL" : "REQUIRED";
    const element = listElement(type);
    if (element === undefined) return [{ ...physical[type as ParquetScalar], name, repetition_type }];
    return [
      { name, repetition_type, num_children: 1, converted_type: "LIST", logical_type: { type: "LIST" } },
      { name: "list", repetition_type: "REPEATED", num_children: 1 },
      { ...physical[element], name: "element", repetition_type: "REQUIRED" },
    ];
  });
  return [{ name: "schema", num_children: columns.length }, ...elements];
}
