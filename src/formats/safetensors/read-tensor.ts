import { MillraceError } from "../../errors/errors.ts";
import { arrayOfBytes } from "../array-bytes.ts";
import { type ByteSource, type Bytes, toByteSource } from "../byte-source.ts";
import type { NdArray } from "../nd-array.ts";
import { readBytes } from "../read-bytes.ts";
import { refuseFile } from "../refuse-file.ts";
import { readSafetensorsHeader, type SafetensorsHeader, type TensorInfo } from "./read-header.ts";
import { arrayTypeOf } from "./tensor-types.ts";

/** A file of tensors, of which only the header is in memory. */
export interface Safetensors extends SafetensorsHeader {
  /** A tensor as a new array. */
  read(name: string): NdArray;
  /** The raw bytes of a tensor: also of types without a typed array. */
  readBytes(name: string): Uint8Array;
}

/** Reads the header of a file; its tensors are read on demand. */
export function readSafetensors(input: Bytes): Safetensors {
  const source = toByteSource(input);
  const header = readSafetensorsHeader(source);
  const find = (name: string): TensorInfo => header.tensors.get(name) ?? notThere(source, header, name);
  return {
    ...header,
    read: (name) => readTensor(source, find(name)),
    readBytes: (name) => {
      const { offset, sizeBytes } = find(name);
      return readBytes(source, offset, sizeBytes, `the tensor ${JSON.stringify(name)}`);
    },
  };
}

function readTensor(source: ByteSource, { name, type, shape, offset, sizeBytes }: TensorInfo): NdArray {
  const dtype = arrayTypeOf.get(type);
  if (dtype === undefined) {
    throw new MillraceError("BAD_FILE", `${source.name}: no array holds the type ${type} of ${JSON.stringify(name)}.`, {
      hint: "Take its bytes with readBytes(name).",
    });
  }
  const bytes = readBytes(source, offset, sizeBytes, `the tensor ${JSON.stringify(name)}`);
  return { dtype, shape, data: arrayOfBytes(bytes, dtype) } as NdArray;
}

function notThere(source: ByteSource, { tensors }: SafetensorsHeader, name: string): never {
  const some = [...tensors.keys()].slice(0, 10).map((key) => JSON.stringify(key));
  const more = tensors.size > some.length ? `, and ${tensors.size - some.length} more` : "";
  throw refuseFile(source.name, undefined, `has no tensor ${JSON.stringify(name)}`, {
    hint: `It has: ${some.join(", ")}${more}.`,
  });
}
