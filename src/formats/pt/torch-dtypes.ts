import type { DType } from "../nd-array.ts";

/** The class that PyTorch names for the numbers of a tensor, by element type. */
export const storageClasses: Readonly<Partial<Record<DType, string>>> = {
  bool: "BoolStorage",
  int8: "CharStorage",
  int16: "ShortStorage",
  int32: "IntStorage",
  int64: "LongStorage",
  uint8: "ByteStorage",
  float16: "HalfStorage",
  bfloat16: "BFloat16Storage",
  float32: "FloatStorage",
  float64: "DoubleStorage",
  complex64: "ComplexFloatStorage",
  complex128: "ComplexDoubleStorage",
};

/** The element type of a storage class, by the global's full name. */
export const storageDtypes: ReadonlyMap<string, DType> = new Map(
  Object.entries(storageClasses).map(([dtype, name]) => [`torch.${name}`, dtype as DType]),
);

/** Element types that PyTorch names by themselves, for tensors on a storage of plain bytes (from PyTorch 2.3). */
export const torchDtypes: ReadonlyMap<string, DType> = new Map(
  [...Object.keys(storageClasses), "uint16", "uint32", "uint64"].map((dtype) => [`torch.${dtype}`, dtype as DType]),
);

export const untypedStorage = "torch.storage.UntypedStorage";
