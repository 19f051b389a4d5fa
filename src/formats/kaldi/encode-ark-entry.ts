import { MillraceError } from "../../errors/errors.ts";
import { describeKind } from "../../values/state-json.ts";
import { checkNdArray, type NdArray } from "../nd-array.ts";
import { binaryValueBytes, encodeBinaryValue, putBinaryValue } from "./binary-value.ts";
import type { KaldiValue } from "./kaldi-value.ts";
import { formatTextValue } from "./text-value.ts";

/** One entry of an archive as bytes, and the offset of its value in them. */
export interface EncodedArkEntry {
  readonly bytes: Uint8Array;
  /** The offset of the value in the bytes: added to the entry's offset in the file, it is the offset of an scp line. */
  readonly valueOffset: number;
}

/** One entry of an archive as bytes. Kaldi has float32 and float64 of one or two dimensions and int32 of one. */
export function encodeArkEntry(
  key: string,
  value: NdArray,
  options: { readonly text?: boolean } = {},
): EncodedArkEntry {
  const before = `${checkKaldiKey(key)} `;
  const valueOffset = Buffer.byteLength(before);
  const checked = checkKaldiValue(value);
  if (options.text === true) return { bytes: Buffer.from(`${before}${formatTextValue(checked)}`), valueOffset };
  const bytes = Buffer.allocUnsafe(valueOffset + binaryValueBytes(checked));
  bytes.write(before);
  putBinaryValue(bytes, valueOffset, checked);
  return { bytes, valueOffset };
}

/** One value as bytes, for a separate file. */
export function encodeKaldiValue(value: NdArray, options: { readonly text?: boolean } = {}): Uint8Array {
  const checked = checkKaldiValue(value);
  return options.text === true ? Buffer.from(formatTextValue(checked)) : encodeBinaryValue(checked);
}

/** Refuses a key that Kaldi would read as several words. */
export function checkKaldiKey(key: string): string {
  if (typeof key === "string" && key !== "" && !/[\s\p{Cc}\p{Surrogate}]/u.test(key)) return key;
  throw new MillraceError("BAD_RECORD", `${describeKind(key)} cannot be a key of a Kaldi table.`, {
    hint: "A key is one word: not empty, without spaces and control characters.",
  });
}

/** Refuses an array that Kaldi cannot represent. */
export function checkKaldiValue(value: NdArray): KaldiValue {
  const { dtype, shape } = value;
  const isFloat = (dtype === "float32" || dtype === "float64") && (shape.length === 1 || shape.length === 2);
  if (!isFloat && !(dtype === "int32" && shape.length === 1)) {
    throw new MillraceError("BAD_RECORD", `Kaldi has no form for ${dtype} of ${shape.length} dimensions.`, {
      hint: "Write float32 or float64 of one or two dimensions, or int32 of one; npy holds everything else.",
    });
  }
  checkNdArray(value);
  return value as KaldiValue;
}
