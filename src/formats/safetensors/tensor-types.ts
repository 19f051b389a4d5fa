import type { DType } from "../nd-array.ts";

/** Bits per element by the type names of safetensors files; types below a byte must fill whole bytes together. */
export const bitsOf: ReadonlyMap<string, number> = new Map([
  ["BOOL", 8],
  ["F4", 4],
  ["F6_E2M3", 6],
  ["F6_E3M2", 6],
  ["U8", 8],
  ["I8", 8],
  ["F8_E5M2", 8],
  ["F8_E4M3", 8],
  ["F8_E8M0", 8],
  ["F8_E4M3FNUZ", 8],
  ["F8_E5M2FNUZ", 8],
  ["I16", 16],
  ["U16", 16],
  ["F16", 16],
  ["BF16", 16],
  ["I32", 32],
  ["U32", 32],
  ["F32", 32],
  ["C64", 64],
  ["F64", 64],
  ["I64", 64],
  ["U64", 64],
]);

/** The type name in files of each array type. */
export const tensorTypeOf: Readonly<Record<DType, string | undefined>> = {
  bool: "BOOL",
  int8: "I8",
  uint8: "U8",
  int16: "I16",
  uint16: "U16",
  int32: "I32",
  uint32: "U32",
  int64: "I64",
  uint64: "U64",
  float16: "F16",
  bfloat16: "BF16",
  float32: "F32",
  float64: "F64",
  complex64: "C64",
  complex128: undefined,
};

/** The array type by the type name in files; undefined for types without a typed array. */
export const arrayTypeOf: ReadonlyMap<string, DType> = new Map(
  Object.entries(tensorTypeOf).flatMap(([dtype, name]) => (name === undefined ? [] : [[name, dtype as DType]])),
);
