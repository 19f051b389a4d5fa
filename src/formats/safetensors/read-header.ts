import { isUtf8 } from "node:buffer";
import { outputLimit } from "../../input/output-limit.ts";
import type { ByteSource } from "../byte-source.ts";
import { parseJson } from "../parse-json.ts";
import { readBytes } from "../read-bytes.ts";
import { refuseFile } from "../refuse-file.ts";
import { bitsOf } from "./tensor-types.ts";

/** A tensor by the header of a file, checked against the file. */
export interface TensorInfo {
  readonly name: string;
  /** The file's name of the type: F32, BF16, I64, … */
  readonly type: string;
  readonly shape: readonly number[];
  /** The offset of its bytes in the file. */
  readonly offset: number;
  readonly sizeBytes: number;
}

/** The content of a safetensors header. */
export interface SafetensorsHeader {
  readonly tensors: ReadonlyMap<string, TensorInfo>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The limit of the format itself: a header must not fill the memory. */
export const maxHeaderBytes = 100_000_000;

/** Reads and checks a header: tensors are contiguous in the data, without gaps, and their sizes match. */
export function readSafetensorsHeader(source: ByteSource): SafetensorsHeader {
  const prefix = readBytes(source, 0, 8, "the length of the header");
  const length = new DataView(prefix.buffer).getBigUint64(0, true);
  if (length > maxHeaderBytes) {
    throw refuseFile(source.name, 0, `the header should have ${length} bytes; at most ${maxHeaderBytes} are allowed`);
  }
  const dataStart = 8 + Number(length);
  const header = parseHeader(readBytes(source, 8, Number(length), "the header"), source);
  const metadata = checkMetadata(header["__metadata__"], source.name);
  const tensors = Object.entries(header)
    .filter(([name]) => name !== "__metadata__")
    .map(([name, entry]) => checkTensor(name, entry, dataStart, source.name));
  checkLayout(tensors, dataStart, source);
  return { tensors: new Map(tensors.map((tensor) => [tensor.name, tensor])), metadata };
}

function parseHeader(bytes: Uint8Array, { name: file, size }: ByteSource): Record<string, unknown> {
  if (bytes[0] !== 0x7b) throw refuseFile(file, 8, "the header should begin with {");
  if (!isUtf8(bytes)) throw refuseFile(file, 8, "the header is not UTF-8");
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
  const header = parseJson(text, { file, offset: 8, what: "the header", limit: outputLimit(size) });
  const repeated = repeatedKey(text);
  if (repeated !== undefined) throw refuseFile(file, 8, `the header has the key ${JSON.stringify(repeated)} twice`);
  return header as Record<string, unknown>;
}

function checkMetadata(value: unknown, file: string): Readonly<Record<string, string>> {
  if (value === undefined) return {};
  if (isObject(value) && Object.values(value).every((text) => typeof text === "string")) {
    return value as Record<string, string>;
  }
  throw refuseFile(file, 8, "__metadata__ should be an object of texts");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function checkTensor(name: string, entry: unknown, dataStart: number, file: string): TensorInfo {
  const refuse = (why: string): Error => refuseFile(file, 8, `the tensor ${JSON.stringify(name)} ${why}`);
  if (!isObject(entry)) throw refuse("is described by something else than an object");
  const { dtype: type, shape, data_offsets: offsets } = entry;
  const bits = typeof type === "string" ? bitsOf.get(type) : undefined;
  if (bits === undefined) throw refuse(`has the unknown type ${JSON.stringify(type)}`);
  if (!isLengths(shape)) throw refuse("has a shape that is not a list of whole numbers");
  if (!isLengths(offsets) || offsets.length !== 2) throw refuse("has data_offsets that are not two whole numbers");
  const [begin, end] = offsets as [number, number];
  const size = (shape.reduce((count, length) => count * length, 1) * bits) / 8;
  if (!Number.isSafeInteger(size)) throw refuse(`has a shape that no file holds: ${shape.slice(0, 8).join(" x ")}`);
  if (end - begin !== size) throw refuse(`needs ${size} bytes (${type}, ${shape.join(" x ")}) and has ${end - begin}`);
  return { name, type: type as string, shape, offset: dataStart + begin, sizeBytes: size };
}

function isLengths(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((length) => Number.isSafeInteger(length) && length >= 0);
}

function checkLayout(tensors: readonly TensorInfo[], dataStart: number, source: ByteSource): void {
  let end = dataStart;
  for (const { name, offset, sizeBytes } of tensors.toSorted(
    (a, b) => a.offset - b.offset || a.sizeBytes - b.sizeBytes,
  )) {
    if (offset !== end) {
      const what = offset > end ? "a hole before it" : "bytes in common with the one before it";
      throw refuseFile(source.name, offset, `the tensor ${JSON.stringify(name)} has ${what}`);
    }
    end += sizeBytes;
  }
  if (end === source.size) return;
  const what = end > source.size ? "the file is cut off" : "there are bytes after the last tensor";
  throw refuseFile(
    source.name,
    Math.min(end, source.size),
    `${what}: ${end} bytes are described, ${source.size} are there`,
  );
}

/**
 * The first key that occurs twice in one object of a JSON text, or undefined. JSON.parse silently keeps the last one,
 * another reader the first, so one file would have two meanings. The text must be valid JSON.
 */
function repeatedKey(json: string): string | undefined {
  // One set per open object; arrays have none.
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < json.length; at++) {
    const sign = json[at];
    if (sign === "{") open.push(new Set());
    else if (sign === "[") open.push(undefined);
    else if (sign === "}" || sign === "]") open.pop();
    else if (sign === '"') {
      const end = endOfString(json, at);
      const keys = open.at(-1);
      if (keys !== undefined && isBeforeColon(json, end)) {
        const key = JSON.parse(json.slice(at, end)) as string;
        if (keys.has(key)) return key;
        keys.add(key);
      }
      at = end - 1;
    }
  }
  return undefined;
}

function endOfString(json: string, start: number): number {
  for (let at = start + 1; ; at++) {
    if (json[at] === "\\") at++;
    else if (json[at] === '"') return at + 1;
  }
}

function isBeforeColon(json: string, from: number): boolean {
  let at = from;
  while (json[at] === " " || json[at] === "\n" || json[at] === "\t" || json[at] === "\r") at++;
  return json[at] === ":";
}
