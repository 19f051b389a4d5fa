import { MillraceError } from "./errors.ts";
import { isExactJson, stateTag } from "./exact-json.ts";

// Accumulators of statistics are typed arrays and may hold NaN; plain JSON would silently turn both into something else.
const typedArrays = {
  Float64Array,
  Float32Array,
  Int32Array,
  Uint32Array,
  Int16Array,
  Uint16Array,
  Int8Array,
  Uint8Array,
  BigInt64Array,
  BigUint64Array,
} as const;
type TypedArrayName = keyof typeof typedArrays;

const tag = stateTag;

/** JSON text of a shard's state; typed arrays, bigint, NaN and the infinities come back as they were. */
export function encodeState(state: object): string {
  // Most runners keep none, and it is asked for with every checkpoint.
  if (Object.keys(state).length === 0) return "{}";
  return JSON.stringify(toPlain(state, "state", { onOdd: refuseState, isExact: false }));
}

/** What stands in the JSON for a value that JSON cannot hold. It may throw. */
type OnOdd = (value: unknown, path: string, isCircular: boolean) => unknown;

interface Rules {
  readonly onOdd: OnOdd;
  /** Also keys that are undefined are kept, and a Buffer stays one. */
  readonly isExact: boolean;
}

/** The same encoding as plain values, with a choice of what becomes of those that cannot be kept. */
export function toPlainValues(value: unknown, path: string, onOdd: OnOdd): unknown {
  return value === undefined ? undefined : toPlain(value, path, { onOdd, isExact: true });
}

/** The state that {@link encodeState} wrote. */
export function decodeState(text: string): Record<string, unknown> {
  return fromPlainValues(JSON.parse(text)) as Record<string, unknown>;
}

function toPlain(value: unknown, path: string, rules: Rules, above: readonly unknown[] = []): unknown {
  const { onOdd, isExact } = rules;
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "undefined":
      return { [tag]: "undefined" };
    case "number":
      if (Object.is(value, -0)) return { [tag]: "number", value: "-0" };
      return Number.isFinite(value) ? value : { [tag]: "number", value: String(value) };
    case "bigint":
      return { [tag]: "bigint", value: String(value) };
    case "object":
      if (value === null) return null;
      // Most of a large state: it is kept as it is, with no path and no copy made for each of its values.
      if (isExactJson(value)) return value;
      if (above.includes(value)) return onOdd(value, path, true);
      if (Array.isArray(value))
        return Array.from(value, (entry, i) => toPlain(entry, `${path}[${i}]`, rules, [...above, value]));
      if (ArrayBuffer.isView(value)) return typedToPlain(value, isExact) ?? onOdd(value, path, false);
      if (isPlainObject(value)) {
        const plain = Object.entries(value).map(
          ([key, entry]) => [key, toPlain(entry, `${path}.${key}`, rules, [...above, value])] as const,
        );
        const object = Object.fromEntries(plain.filter(([key]) => isExact || value[key] !== undefined));
        // Someone else's object that looks like one of the marks below is wrapped in one.
        return tag in value ? { [tag]: "object", value: object } : object;
      }
  }
  return onOdd(value, path, false);
}

function refuseState(value: unknown, path: string): never {
  throw new MillraceError("STATE_NOT_JSON", `${path} is ${describeKind(value)}, which cannot be kept on disk.`, {
    hint: ArrayBuffer.isView(value)
      ? `Use one of ${Object.keys(typedArrays).join(", ")}.`
      : "Keep plain objects, arrays, numbers, strings and typed arrays in a shard's state; put open handles among the writers.",
  });
}

function typedToPlain(view: ArrayBufferView, isExact: boolean): unknown {
  const name = Object.keys(typedArrays).find((key) => view.constructor.name === key);
  if (name === undefined && !(view instanceof Uint8Array)) return undefined;
  const bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength);
  if (isExact && Buffer.isBuffer(view)) return { [tag]: "Buffer", base64: bytes.toString("base64") };
  return { [tag]: name ?? "Uint8Array", base64: bytes.toString("base64") };
}

/** What {@link toPlainValues} was given. */
export function fromPlainValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromPlainValues);
  if (typeof value !== "object" || value === null) return value;
  const entry = value as Record<string, unknown>;
  const kind = entry[tag];
  if (kind === "undefined") return undefined;
  if (kind === "object") return fromEntries(entry["value"] as Record<string, unknown>);
  if (kind === "number") return Number(entry["value"]);
  if (kind === "Buffer") return Buffer.from(entry["base64"] as string, "base64");
  if (kind === "bigint") return BigInt(entry["value"] as string);
  if (typeof kind === "string" && kind in typedArrays) {
    const bytes = Buffer.from(entry["base64"] as string, "base64");
    const aligned = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    return new typedArrays[kind as TypedArrayName](aligned);
  }
  return fromEntries(entry);
}

function fromEntries(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, inner]) => [key, fromPlainValues(inner)]));
}

/** Whether a value is an object literal: not an instance of any class. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** What a value is, in words for a message: "a Map", "a function", "undefined". */
export function describeKind(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "function") return value.name === "" ? "a function" : `the function ${value.name}`;
  if (typeof value === "object") return isPlainObject(value) ? "an object" : `a ${value.constructor?.name ?? "object"}`;
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  return `${typeof value === "number" ? "" : `the ${typeof value} `}${String(value)}`;
}
