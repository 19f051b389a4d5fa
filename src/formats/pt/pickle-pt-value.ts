import { MillraceError } from "../../errors/errors.ts";
import { describeKind } from "../../values/state-json.ts";
import { checkNdArray, isNdArray, type NdArray, type NumberArray } from "../nd-array.ts";
import { PickleWriter } from "./pickle-writer.ts";
import type { PtInput } from "./pt-value.ts";
import { storageClasses } from "./torch-dtypes.ts";

// Deeper than any real data; also catches a value that contains itself.
const deepest = 200;
const largestInt = 2n ** 1023n;

/** A value as PyTorch's pickle, and the arrays it refers to by number. Arrays of the same data share a storage. */
export function picklePtValue(value: PtInput): { pickle: Buffer; storages: readonly NdArray[] } {
  const writer = new PickleWriter();
  const storages: NdArray[] = [];
  const numbers = new Map<NumberArray, number>();
  const put = (entry: unknown, depth: number): void => {
    if (depth > deepest) throw refusal(`it is nested more than ${deepest} deep, or contains itself`);
    if (entry === null) writer.op("none");
    else if (typeof entry === "boolean") writer.op(entry ? "true" : "false");
    else if (typeof entry === "string") putText(writer, entry);
    else if (typeof entry === "number") putNumber(writer, entry);
    else if (typeof entry === "bigint") putBigInt(writer, entry);
    else if (Array.isArray(entry)) {
      writer.op("emptyList");
      if (entry.length === 0) return;
      writer.op("mark");
      for (const item of entry) put(item, depth + 1);
      writer.op("appends");
    } else if (isNdArray(entry)) {
      checkNdArray(entry);
      let number = numbers.get(entry.data);
      if (number === undefined) {
        number = storages.push(entry) - 1;
        numbers.set(entry.data, number);
      } else if (storages[number]!.dtype !== entry.dtype) {
        throw refusal("two tensors of different types share their data");
      }
      putTensor(writer, entry, number);
    } else putDict(entriesOf(entry));

    function putDict(entries: readonly (readonly [unknown, unknown])[]): void {
      writer.op("emptyDict");
      if (entries.length === 0) return;
      writer.op("mark");
      const seen = new Map<unknown, unknown>();
      for (const [key, item] of entries) {
        if (typeof key === "object" && key !== null) throw refusal("a key is not a text, number, boolean or null");
        const same = pythonKey(key);
        if (seen.has(same)) throw refusal(`the keys ${String(seen.get(same))} and ${String(key)} are one in Python`);
        seen.set(same, key);
        put(key, depth + 1);
        put(item, depth + 1);
      }
      writer.op("setItems");
    }
  };
  put(value, 0);
  return { pickle: writer.finish(), storages };
}

/** `torch._utils._rebuild_tensor_v2(storage, 0, shape, strides, False, OrderedDict())`. */
function putTensor(writer: PickleWriter, { dtype, shape, data }: NdArray, number: number): void {
  const storageClass = storageClasses[dtype];
  if (storageClass === undefined) {
    throw new MillraceError("BAD_RECORD", `A .pt file that every PyTorch opens cannot hold ${dtype}.`, {
      hint: "Convert it to a signed type of the next size, which holds every value of it (uint64: int64 or float64).",
    });
  }
  const parts = dtype === "complex64" || dtype === "complex128" ? 2 : 1;
  writer.global("torch._utils", "_rebuild_tensor_v2");
  writer.op("mark");
  writer.op("mark");
  writer.text("storage");
  writer.global("torch", storageClass);
  writer.text(String(number));
  writer.text("cpu");
  writer.int(data.length / parts);
  writer.op("tuple");
  writer.op("persistentId");
  writer.int(0);
  writer.ints(shape);
  writer.ints(contiguousStrides(shape));
  writer.op("false");
  writer.global("collections", "OrderedDict");
  writer.op("emptyTuple");
  writer.op("reduce");
  writer.op("tuple");
  writer.op("reduce");
}

/** The strides of C order, as in PyTorch: a dimension of size 0 counts as one. */
function contiguousStrides(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length);
  let stride = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides[axis] = stride;
    stride *= Math.max(1, shape[axis]!);
  }
  return strides;
}

/** The identity of a key in Python: 1, 1n and true are the same key of a dict. */
function pythonKey(key: unknown): unknown {
  if (typeof key === "boolean") return Number(key);
  return typeof key === "bigint" && BigInt(Number(key)) === key ? Number(key) : key;
}

function putText(writer: PickleWriter, text: string): void {
  if (/\p{Surrogate}/u.test(text)) throw refusal("a text holds half a character, which UTF-8 cannot say");
  writer.text(text);
}

function putNumber(writer: PickleWriter, value: number): void {
  // Python distinguishes 1 from 1.0, JavaScript does not: a whole number becomes an int.
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) writer.int(value);
  else writer.float(value);
}

function putBigInt(writer: PickleWriter, value: bigint): void {
  if (value > largestInt || value < -largestInt) throw refusal("an integer has more than 1,023 bits");
  writer.int(value);
}

function entriesOf(value: unknown): readonly (readonly [unknown, unknown])[] {
  if (value instanceof Map) return [...(value as Map<unknown, unknown>)];
  if (typeof value === "object" && value !== null) {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null) return Object.entries(value);
  }
  throw refusal(`${describeKind(value)} has no place in it`);
}

function refusal(problem: string): MillraceError {
  return new MillraceError("BAD_RECORD", `The value cannot be written as a .pt file: ${problem}.`, {
    hint: "Tensors ({ dtype, shape, data }), texts, numbers, booleans, null, arrays, Maps and plain objects can.",
  });
}
