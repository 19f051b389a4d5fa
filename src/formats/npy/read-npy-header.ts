import { badFile } from "../bad-file.ts";
import type { ByteSource } from "../byte-source.ts";
import { countElements, type DType, layouts } from "../nd-array.ts";
import { dtypeOfDescr } from "./npy-dtype.ts";
import { parseNpyDict } from "./parse-npy-dict.ts";

/** The header of an npy file, and the position of its data. */
export interface NpyHeader {
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** The data in the file is in Fortran order: the first index changes fastest. */
  readonly fortranOrder: boolean;
  readonly littleEndian: boolean;
  /** Offset and size of the data. */
  readonly dataOffset: number;
  readonly dataBytes: number;
}

const magic = Buffer.from("\x93NUMPY", "latin1");
// Enough for any plain array's header; NumPy itself refuses more than 10,000 unless the file is trusted.
const longestHeader = 1 << 16;
const maxDimensions = 64;

/** Reads the header of an npy file and checks it against the length of the file. */
export function readNpyHeader(source: ByteSource): NpyHeader {
  const start = source.read(0, Math.min(12, source.size));
  if (!start.subarray(0, 6).equals(magic)) {
    throw badFile(source.name, 0, "this is not an npy file: it does not begin with \\x93NUMPY");
  }
  const version = start.length > 7 ? start.readUInt8(6) : 0;
  if (version < 1 || version > 3 || start.readUInt8(7) !== 0) {
    throw badFile(
      source.name,
      6,
      `npy version ${version}.${start[7] ?? 0} is unknown`,
      "Versions 1.0 to 3.0 are read.",
    );
  }
  const lengthBytes = version === 1 ? 2 : 4;
  const textOffset = 8 + lengthBytes;
  if (start.length < textOffset) throw badFile(source.name, start.length, "the file ends within its header");
  const textBytes = start.readUIntLE(8, lengthBytes);
  if (textBytes > longestHeader) {
    throw badFile(source.name, 8, `the header announces ${textBytes} bytes, more than ${longestHeader}`);
  }
  const text = source.read(textOffset, textBytes).toString(version === 3 ? "utf8" : "latin1");
  const dict = parseNpyDict(text, (problem, at) => badFile(source.name, textOffset + at, problem, refusalHint));
  const element = dtypeOfDescr(dict.descr);
  if ("refusal" in element) throw badFile(source.name, textOffset, element.refusal, refusalHint);
  if (dict.shape.length > maxDimensions) {
    throw badFile(source.name, textOffset, `the array has ${dict.shape.length} dimensions, more than ${maxDimensions}`);
  }
  const dataOffset = textOffset + textBytes;
  const dataBytes = countElements(dict.shape) * layouts[element.dtype].itemBytes;
  if (!(dataBytes <= source.size - dataOffset)) {
    throw badFile(
      source.name,
      dataOffset,
      `the shape (${dict.shape.join(", ")}) of ${element.dtype} needs ${dataBytes} bytes, ${source.size - dataOffset} are there`,
    );
  }
  return { ...element, shape: dict.shape, fortranOrder: dict.fortranOrder, dataOffset, dataBytes };
}

const refusalHint = "Numbers and booleans are read: save the array again with a plain numeric dtype (array.astype).";
