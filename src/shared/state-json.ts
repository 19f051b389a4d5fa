import { type OnInstance, ValueDecoder } from "./decode-value.ts";
import { type Oddness, type OnOdd, ValueEncoder } from "./encode-value.ts";
import { MillraceError } from "./errors.ts";
import { isExactJson } from "./exact-json.ts";
import { isPlainObject, tag, typedArrays } from "./value-marks.ts";

export { isPlainObject } from "./value-marks.ts";

/** JSON text of a shard's state; Map, Set, Date, typed arrays, bigint, NaN and the infinities come back as they were. */
export function encodeState(state: object): string {
  const rules = { onOdd: refuseState, isExact: false };
  if (Object.hasOwn(state, tag)) return JSON.stringify(new ValueEncoder(rules).encode(state, "state"));
  const entries = Object.entries(state).filter(([, value]) => value !== undefined);
  // Most runners keep none, and it is asked for with every checkpoint.
  if (entries.length === 0) return "{}";
  // Each key by itself: what is plain JSON, most of a large state as a rule, is written without a copy.
  const plain = entries.map(([key, value]) =>
    isExactJson(value) ? [key, value] : [key, new ValueEncoder(rules, state).encode(value, `state.${key}`)],
  );
  return JSON.stringify(Object.fromEntries(plain));
}

/** The state that {@link encodeState} wrote. */
export function decodeState(text: string): Record<string, unknown> {
  const plain = JSON.parse(text) as Record<string, unknown>;
  if (Object.hasOwn(plain, tag)) return fromPlainValues(plain) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(plain).map(([key, value]) => [key, fromPlainValues(value)]));
}

/** The same encoding as plain values, in which nothing is lost, with a choice of what becomes of those that cannot be kept. */
export function toPlainValues(value: unknown, path: string, onOdd: OnOdd): unknown {
  return value === undefined ? undefined : new ValueEncoder({ onOdd, isExact: true }).encode(value, path);
}

/** What {@link toPlainValues} was given. Instances are what `onInstance` makes of them. */
export function fromPlainValues(value: unknown, onInstance: OnInstance = (reference) => reference): unknown {
  return new ValueDecoder(onInstance).decode(value);
}

function refuseState(value: unknown, path: string, oddness: Oddness): never {
  if (oddness === "circular") {
    throw new MillraceError("STATE_NOT_JSON", `${path} refers to an object that it is part of.`, {
      hint: "A shard's state is written as JSON: keep no object in it that points back to one above it.",
    });
  }
  throw new MillraceError("STATE_NOT_JSON", `${path} is ${describeKind(value)}, which cannot be kept on disk.`, {
    hint: ArrayBuffer.isView(value)
      ? `Use one of ${Object.keys(typedArrays).join(", ")}.`
      : "Keep plain objects, arrays, numbers, strings, Map, Set, Date and typed arrays in a shard's state; put open handles among the writers.",
  });
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
