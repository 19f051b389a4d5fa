import { MillraceError } from "../../errors/errors.ts";
import { describeKind } from "../../values/state-json.ts";
import { bytesOfArray } from "../array-bytes.ts";
import { checkNdArray, countElements, type DType, layouts, type NdArray } from "../nd-array.ts";
import { maxHeaderBytes } from "./read-header.ts";
import { tensorTypeOf } from "./tensor-types.ts";

/** The metadata of the header. */
export interface SafetensorsOptions {
  /** Strings that are stored in the file's header. */
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface TensorShape {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
}

/** A whole file as bytes. Wide types come first, so that every tensor is aligned to its element size. */
export function encodeSafetensors(
  tensors: Iterable<readonly [name: string, array: NdArray]>,
  options: SafetensorsOptions = {},
): Uint8Array {
  const sorted = [...tensors].sort(
    ([a, { dtype: aType }], [b, { dtype: bType }]) =>
      layouts[bType].itemBytes - layouts[aType].itemBytes || (a < b ? -1 : Number(a > b)),
  );
  const shapes = sorted.map(([name, array]) => checkTensor(name, array));
  return Buffer.concat([encodeSafetensorsHeader(shapes, options), ...sorted.map(([, array]) => bytesOfArray(array))]);
}

/** The bytes before the data, for tensors in the order of their data. */
export function encodeSafetensorsHeader(
  shapes: Iterable<TensorShape>,
  { metadata }: SafetensorsOptions = {},
): Uint8Array {
  for (const [key, value] of Object.entries(metadata ?? {})) {
    if (typeof value === "string") continue;
    throw new MillraceError("BAD_RECORD", `${JSON.stringify(key)} of the metadata is ${describeKind(value)}.`, {
      hint: "The format has texts alone there, and readers refuse anything else: pass String(value) or its JSON.",
    });
  }
  // A Map, not an object: names such as "1" and "__proto__" would change the order or be lost.
  const names = new Set<string>();
  const entries = metadata === undefined ? [] : [`"__metadata__":${JSON.stringify(metadata)}`];
  let begin = 0;
  for (const { name, dtype, shape } of shapes) {
    if (names.has(name)) throw badTensor(name, "comes twice");
    names.add(name);
    const end = begin + countElements(shape) * layouts[dtype].itemBytes;
    entries.push(
      `${JSON.stringify(name)}:${JSON.stringify({ dtype: tensorTypeOf[dtype], shape, data_offsets: [begin, end] })}`,
    );
    begin = end;
  }
  const json = Buffer.from(`{${entries.join(",")}}`);
  const length = Math.ceil(json.length / 8) * 8;
  if (length > maxHeaderBytes) {
    throw new MillraceError("BAD_RECORD", `${names.size} tensors need a header of ${length} bytes.`, {
      hint: `Readers take at most ${maxHeaderBytes}: put fewer tensors into a file, with more shards for instance.`,
    });
  }
  const bytes = Buffer.alloc(8 + length, " ");
  bytes.writeBigUInt64LE(BigInt(length));
  bytes.set(json, 8);
  return bytes;
}

/** Refuses a tensor that the format cannot store. */
export function checkTensor(name: string, array: NdArray): TensorShape {
  checkNdArray(array);
  const { dtype, shape } = array;
  if (typeof name !== "string" || name === "__metadata__" || /\p{Surrogate}/u.test(name))
    throw badTensor(name, "has a name that is not allowed");
  if (tensorTypeOf[dtype] === undefined) throw badTensor(name, `is ${dtype}, for which the format has no type`);
  return { name, dtype, shape };
}

function badTensor(name: string, why: string): MillraceError {
  return new MillraceError("BAD_RECORD", `The tensor ${describeKind(name)} ${why}.`, {
    hint: "Names are different from each other and from __metadata__, and the shape fits the data.",
  });
}
