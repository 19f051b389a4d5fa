import { PageError } from "./page-error.ts";
import type { ThriftFields } from "./thrift.ts";

/** The validated header of a page. */
export interface PageHeader {
  readonly kind: "data" | "data-v2" | "dictionary";
  readonly compressedBytes: number;
  readonly uncompressedBytes: number;
  readonly values: number;
  readonly nulls: number;
  /** Number of the encoding in the format's list. */
  readonly encoding: number;
  /** Bytes of levels before the values; 0 if the levels contain their length. */
  readonly definitionBytes: number;
  readonly repetitionBytes: number;
  readonly isCompressed: boolean;
}

/** Reads the fields of a page's header; counts and sizes are whole numbers below 2^31. */
export function readPageHeader(header: ThriftFields): PageHeader {
  const [first, dictionary, second] = [header.get(5), header.get(7), header.get(8)];
  const type = count(header, 1);
  const sizes = { compressedBytes: count(header, 3), uncompressedBytes: count(header, 2) };
  const plain = { nulls: 0, definitionBytes: 0, repetitionBytes: 0, isCompressed: true };
  if (type === 0 && typeof first === "object") {
    return { ...plain, ...sizes, kind: "data", values: count(first, 1), encoding: count(first, 2) };
  }
  if (type === 2 && typeof dictionary === "object") {
    return { ...plain, ...sizes, kind: "dictionary", values: count(dictionary, 1), encoding: count(dictionary, 2) };
  }
  if (type !== 3 || typeof second !== "object") throw new PageError("is of no known kind");
  return {
    ...sizes,
    kind: "data-v2",
    values: count(second, 1),
    nulls: count(second, 2),
    encoding: count(second, 4),
    definitionBytes: count(second, 5),
    repetitionBytes: count(second, 6),
    isCompressed: second.get(7) !== 0,
  };
}

function count(fields: ThriftFields, id: number): number {
  const value = fields.get(id) ?? 0;
  if (typeof value !== "number" || !(value >= 0 && value < 2 ** 31)) throw new PageError("has a size that cannot be");
  return value;
}
