import type { ThriftShape } from "./thrift.ts";

const pair: ThriftShape = { name: "note", required: [], fields: { 1: "text", 2: "text" } };

const statistics: ThriftShape = {
  name: "statistics",
  required: [],
  fields: { 1: "text", 2: "text", 5: "text", 6: "text" },
};

const columnMetadata: ThriftShape = {
  name: "description of a column",
  required: [1, 3, 4, 5, 7, 9],
  fields: {
    1: "number",
    2: ["number"],
    3: ["text"],
    4: "number",
    5: "number",
    6: "number",
    7: "number",
    8: [pair],
    9: "number",
    10: "number",
    11: "number",
    12: statistics,
    13: "list",
  },
};

const column: ThriftShape = { name: "column of a group", required: [3], fields: { 1: "text", 3: columnMetadata } };

const group: ThriftShape = {
  name: "group of rows",
  required: [1, 3],
  fields: { 1: [column], 2: "number", 3: "number", 4: "list" },
};

const element: ThriftShape = {
  name: "element of the schema",
  required: [4],
  fields: { 1: "number", 2: "number", 3: "number", 4: "text", 5: "number", 6: "number" },
};

/** The part of a Parquet footer that the library uses without checks. */
export const footerShape: ThriftShape = {
  name: "footer",
  required: [2, 3, 4],
  fields: { 1: "number", 2: [element], 3: "number", 4: [group], 5: [pair], 6: "text" },
};
