import type { DType } from "../nd-array.ts";

const byDescr: Readonly<Record<string, DType>> = {
  b1: "bool",
  "?": "bool",
  i1: "int8",
  i2: "int16",
  i4: "int32",
  i8: "int64",
  u1: "uint8",
  u2: "uint16",
  u4: "uint32",
  u8: "uint64",
  f2: "float16",
  f4: "float32",
  f8: "float64",
  c8: "complex64",
  c16: "complex128",
};

const refused: Readonly<Record<string, string>> = {
  O: "Python objects, which would have to be unpickled",
  S: "byte strings",
  a: "byte strings",
  U: "strings",
  V: "raw records",
  M: "dates",
  m: "time differences",
  f: "floats of a size that JavaScript has not",
  c: "complex numbers of a size that JavaScript has not",
};

const descrs: ReadonlyMap<DType, string> = new Map(
  Object.entries(byDescr)
    .filter(([descr]) => descr !== "?")
    .map(([descr, dtype]) => [dtype, (descr.endsWith("1") ? "|" : "<") + descr]),
);

/** The element type of NumPy's short name (`<f4`), or why it cannot be read. */
export function dtypeOfDescr(descr: string): { dtype: DType; littleEndian: boolean } | { refusal: string } {
  const [, order, code] = /^([<>=|]?)(.*)$/s.exec(descr)!;
  const dtype = Object.hasOwn(byDescr, code!) ? byDescr[code!] : undefined;
  if (dtype !== undefined) return { dtype, littleEndian: order !== ">" };
  const kind = code!.charAt(0);
  const what = Object.hasOwn(refused, kind) ? refused[kind]! : "elements of an unknown kind";
  return { refusal: `the array holds ${what} (dtype ${JSON.stringify(descr)})` };
}

/** NumPy's short name of an element type; undefined for one that it does not have (bfloat16). */
export function descrOfDtype(dtype: DType): string | undefined {
  return descrs.get(dtype);
}
