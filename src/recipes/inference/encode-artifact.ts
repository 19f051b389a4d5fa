import {
  bfloat16ToNumber,
  type DType,
  encodeJsonLine,
  encodeNpy,
  float16ToNumber,
  type NdArray,
  ndArray,
} from "../../formats.ts";
import { MillraceError } from "../../index.ts";
import { type ArtifactWriter, callWriter, type Encoded, type WriterContext } from "./artifact-writer.ts";
import { describeValue } from "./describe-value.ts";
import type { ArtifactOptions } from "./inference-options.ts";

/** What decides how a value is encoded. */
export interface ValueContext extends WriterContext {
  /** The user's writer, if `options` name one. */
  readonly writer: ArtifactWriter | undefined;
}

const dtypes: Readonly<Record<string, DType>> = {
  Int8Array: "int8",
  Int16Array: "int16",
  Int32Array: "int32",
  BigInt64Array: "int64",
  Uint8Array: "uint8",
  Uint8ClampedArray: "uint8",
  Uint16Array: "uint16",
  Uint32Array: "uint32",
  BigUint64Array: "uint64",
  Float32Array: "float32",
  Float64Array: "float64",
};

/** Encodes one value of an output. */
export async function encodeValue(value: unknown, context: ValueContext): Promise<Encoded> {
  const { options, writer } = context;
  if (writer !== undefined) return callWriter(writer, value, context);
  if (options !== undefined) return encodeAs(options.type ?? typeOf(value, context), value, context);
  const scalar = scalarText(value, context);
  return scalar === undefined ? encodeAs(typeOf(value, context), value, context) : { text: scalar };
}

function scalarText(value: unknown, context: ValueContext): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  const number = isNdArray(value) && value.shape.length === 0 ? numberOf(value) : value;
  if (typeof number === "bigint") return String(number);
  if (typeof number !== "number") return undefined;
  if (Number.isFinite(number)) return String(number);
  const hint = `Return a finite number, or leave ${context.key} out of outputs that have none; String(value) writes it as a text.`;
  throw unwritable(number, context, "programs that read lists differ in how they write it", hint);
}

/** The number of an array without dimensions. */
function numberOf(array: NdArray): number | bigint | undefined {
  if (array.data.length !== 1) return undefined;
  if (array.dtype === "float16") return float16ToNumber(array.data[0]!);
  return array.dtype === "bfloat16" ? bfloat16ToNumber(array.data[0]!) : array.data[0];
}

async function encodeAs(
  type: NonNullable<ArtifactOptions["type"]>,
  value: unknown,
  context: ValueContext,
): Promise<Encoded> {
  const { extension } = context.options ?? {};
  switch (type) {
    case "npy":
      return { bytes: encodeNpy(toNdArray(value, context)), extension: extension ?? ".npy" };
    case "json":
      return { bytes: Buffer.from(jsonText(value, context)), extension: extension ?? ".json" };
    case "wav":
      return { bytes: await toWav(value, context), extension: extension ?? ".wav" };
    case "text":
      if (typeof value !== "string") throw unwritable(value, context, "a text was expected");
      if (/\p{Surrogate}/u.test(value)) throw unwritable(value, context, "it holds half a character");
      return { bytes: Buffer.from(value), extension: extension ?? ".txt" };
    case "bytes":
      if (!(value instanceof Uint8Array)) throw unwritable(value, context, "a Uint8Array was expected");
      return { bytes: value, extension: extension ?? ".bin" };
  }
}

function typeOf(value: unknown, context: ValueContext): "npy" | "json" | "wav" {
  if (Array.isArray(value)) {
    throw unwritable(
      value,
      context,
      "a list has no place in an scp file",
      `Return one value for each key (${context.key}0, ${context.key}1 for several hypotheses), or an object, which is written as JSON.`,
    );
  }
  if (isNdArray(value) || ArrayBuffer.isView(value)) return "npy";
  if (isAudio(value)) return "wav";
  const prototype: unknown = typeof value === "object" && value !== null ? Object.getPrototypeOf(value) : undefined;
  if (prototype === Object.prototype || (prototype === null && value !== null)) return "json";
  throw unwritable(value, context, "it has no form in a file");
}

function toNdArray(value: unknown, context: ValueContext): NdArray {
  if (isNdArray(value)) return value;
  const name = Object.prototype.toString.call(value).slice(8, -1);
  const dtype = dtypes[name];
  if (dtype === undefined)
    throw unwritable(value, context, "an array { dtype, shape, data } or a typed array was expected");
  const view = value as Uint8Array;
  // Clamped bytes are bytes; a Buffer is treated as its underlying view.
  const data = dtype === "uint8" ? new Uint8Array(view.buffer, view.byteOffset, view.byteLength) : view;
  return ndArray(dtype, data as never) as NdArray;
}

async function toWav(value: unknown, context: ValueContext): Promise<Uint8Array> {
  const samples: unknown = isAudio(value) ? value.samples : value;
  const { sampleRate: given, sample_rate = given } = context.options ?? {};
  const sampleRate = sample_rate ?? (isAudio(value) ? value.sampleRate : undefined);
  const isSamples =
    samples instanceof Float32Array || (Array.isArray(samples) && samples.every((one) => one instanceof Float32Array));
  if (!isSamples) throw unwritable(value, context, "samples in a Float32Array, or one for each channel, were expected");
  if (sampleRate === undefined) {
    throw unwritable(
      value,
      context,
      "its sample rate is not known",
      `Return { samples, sampleRate }, or pass outputArtifacts: { ${context.key}: { type: "wav", sampleRate: 16000 } }.`,
    );
  }
  // Loaded only if there is audio to write.
  const { encodeWav } = await import("../../speech.ts");
  const { encoding } = context.options ?? {};
  try {
    return encodeWav(samples as Float32Array, { sampleRate, ...(encoding === undefined ? {} : { encoding }) });
  } catch (cause) {
    throw unwritable(value, context, (cause as Error).message.split("\n", 1)[0]!);
  }
}

function jsonText(value: unknown, context: ValueContext): string {
  try {
    return encodeJsonLine(value);
  } catch (cause) {
    if (!(cause instanceof MillraceError)) throw cause;
    throw unwritable(value, context, cause.reason.replace(/^A record/, "it").replace(/\.$/, ""), cause.hint);
  }
}

function isNdArray(value: unknown): value is NdArray {
  if (typeof value !== "object" || value === null) return false;
  return "dtype" in value && "shape" in value && "data" in value && ArrayBuffer.isView(value.data);
}

function isAudio(value: unknown): value is { readonly samples: unknown; readonly sampleRate: number } {
  if (typeof value !== "object" || value === null) return false;
  return "samples" in value && "sampleRate" in value && typeof value.sampleRate === "number";
}

function unwritable(value: unknown, { key, id }: ValueContext, why: string, hint?: string): MillraceError {
  return new MillraceError("BAD_RECORD", `"${key}" of ${id} is ${describeValue(value)}: ${why}.`, {
    hint:
      hint ??
      `Return a text, a number, a typed array, { dtype, shape, data }, { samples, sampleRate } or a plain object; or say in outputArtifacts how ${key} is written.`,
  });
}
