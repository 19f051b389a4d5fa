import type { OutputMeter } from "../../input/output-limit.ts";
import type { ByteCursor } from "../byte-cursor.ts";

/** The numbers and structures of a Thrift structure by field number; strings and lists are skipped. */
export type ThriftFields = ReadonlyMap<number, number | ThriftFields>;

/** The type of a field: a list is written as a list of its element type. */
type ThriftKind = "number" | "text" | "list" | ThriftShape | readonly [ThriftKind];

/** The types of a structure's fields, by number. Other fields may be anything. */
export interface ThriftShape {
  /** Its name in messages. */
  readonly name: string;
  readonly required: readonly number[];
  readonly fields: Readonly<Record<number, ThriftKind>>;
}

const deepest = 32;

/** The memory of a structure, and of a list element, in the library, in bytes. */
const structureBytes = 512;
const elementBytes = 64;

interface Walk {
  /** The expected structure. Default: anything. */
  readonly shape?: ThriftShape | undefined;
  /** Counts the memory that the library will use for it. */
  readonly meter?: OutputMeter | undefined;
  readonly depth?: number;
}

/**
 * Walks over a structure in Thrift's compact form and stops at the first invalid part: a list that is longer than the
 * remaining bytes, a length beyond the end, endless nesting, a field of another type than the shape says. The Parquet
 * library trusts all of these.
 */
export function readThrift(cursor: ByteCursor, end: number, walk: Walk = {}): ThriftFields {
  const { shape, meter, depth = 0 } = walk;
  if (depth > deepest) throw cursor.bad("the structure is nested too deeply");
  meter?.spend(structureBytes);
  const start = cursor.position;
  const fields = new Map<number, number | ThriftFields>();
  const seen = new Set<number>();
  for (let id = 0; ; ) {
    const byte = nextByte(cursor, end);
    if (byte === 0) break;
    id = byte >> 4 === 0 ? zigzag(readVarint(cursor, end)) : id + (byte >> 4);
    const kind = shape?.fields[id];
    if (kind !== undefined && kindOf(byte & 15) !== outerKind(kind)) {
      throw cursor.bad(`field ${id} of the ${shape!.name} should be a ${outerKind(kind)}`, cursor.position - 1);
    }
    seen.add(id);
    const value = readValue(cursor, end, byte & 15, { kind, meter, depth });
    if (value !== undefined) fields.set(id, value);
  }
  const missing = shape?.required.find((id) => !seen.has(id));
  if (missing !== undefined) throw cursor.bad(`the ${shape!.name} has no field ${missing}`, start);
  return fields;
}

type OuterKind = "number" | "text" | "list" | "structure";

function outerKind(kind: ThriftKind): OuterKind {
  if (typeof kind === "string") return kind;
  return "name" in kind ? "structure" : "list";
}

function kindOf(type: number): OuterKind | undefined {
  if (type >= 1 && type <= 7) return "number";
  if (type === 8) return "text";
  if (type === 9) return "list";
  return type === 12 ? "structure" : undefined;
}

interface ValueWalk {
  readonly kind: ThriftKind | undefined;
  readonly meter: OutputMeter | undefined;
  readonly depth: number;
}

function readValue(
  cursor: ByteCursor,
  end: number,
  type: number,
  { kind, meter, depth }: ValueWalk,
): number | ThriftFields | undefined {
  if (type === 1 || type === 2) return type === 1 ? 1 : 0;
  if (type === 3) return nextByte(cursor, end);
  if (type === 4 || type === 5 || type === 6) return zigzag(readVarint(cursor, end));
  if (type === 7) return skip(cursor, end, 8);
  if (type === 8) return skip(cursor, end, Number(readVarint(cursor, end)));
  if (type === 9) return readList(cursor, end, { kind, meter, depth });
  if (type === 12) {
    return readThrift(cursor, end, { shape: isShape(kind) ? kind : undefined, meter, depth: depth + 1 });
  }
  throw cursor.bad(`unknown kind of field: ${type}`, cursor.position - 1);
}

function isShape(kind: ThriftKind | undefined): kind is ThriftShape {
  return typeof kind === "object" && "name" in kind;
}

function readList(cursor: ByteCursor, end: number, { kind, meter, depth }: ValueWalk): undefined {
  if (depth > deepest) throw cursor.bad("the structure is nested too deeply");
  const byte = nextByte(cursor, end);
  const count = byte >> 4 === 15 ? Number(readVarint(cursor, end)) : byte >> 4;
  if (count > end - cursor.position) throw cursor.bad(`a list cannot have ${count} elements here`);
  meter?.spend(elementBytes * count);
  const type = byte & 15;
  const inner = Array.isArray(kind) ? (kind[0] as ThriftKind) : undefined;
  if (count > 0 && inner !== undefined && kindOf(type) !== outerKind(inner)) {
    throw cursor.bad(`the elements of a list should each be a ${outerKind(inner)}`);
  }
  for (let i = 0; i < count; i++) {
    // In lists, booleans take a byte each.
    if (type === 1 || type === 2) nextByte(cursor, end);
    else readValue(cursor, end, type, { kind: inner, meter, depth: depth + 1 });
  }
}

function nextByte(cursor: ByteCursor, end: number): number {
  const byte = cursor.position < end ? cursor.next() : -1;
  if (byte === -1) throw cursor.bad("the structure is cut off");
  return byte;
}

function skip(cursor: ByteCursor, end: number, length: number): undefined {
  if (length > end - cursor.position) throw cursor.bad(`a text of ${length} bytes does not fit`);
  cursor.position += length;
}

function readVarint(cursor: ByteCursor, end: number): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = nextByte(cursor, end);
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return value;
  }
  throw cursor.bad("a number is too long");
}

function zigzag(value: bigint): number {
  return Number((value >> 1n) ^ -(value & 1n));
}
