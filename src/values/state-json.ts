import { MillraceError } from "../errors/errors.ts";
import { type DecodeRules, damagedValue, ValueDecoder } from "./decode-value.ts";
import { type EncodeRules, type OnUnstorable, type Unstorable, ValueEncoder } from "./encode-value.ts";
import { isExactJson } from "./exact-json.ts";
import { isPlainObject, tag, typedArrays } from "./value-marks.ts";

export { isPlainObject } from "./value-marks.ts";

/** JSON text of a shard's state. Map, Set, Date, typed arrays, bigint, NaN and infinities are restored exactly. */
export function encodeState(state: object): string {
  const rules = { onOdd: refuseState, isExact: false };
  if (Object.hasOwn(state, tag)) return JSON.stringify(new ValueEncoder(rules).encode(state, "state"));
  const entries = Object.entries(state).filter(([, value]) => value !== undefined);
  // Most runners have no state, and this is called for every checkpoint.
  if (entries.length === 0) return "{}";
  // Each key separately: plain JSON, usually most of a large state, is written without a copy.
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

/**
 * The same encoding as plain values. Nothing is lost; the caller decides what happens to values that cannot be stored.
 */
export function toPlainValues(
  value: unknown,
  path: string,
  onOdd: OnUnstorable,
  rules: Pick<EncodeRules, "expressionFor" | "keepsFunctions"> = {},
): unknown {
  return value === undefined ? undefined : new ValueEncoder({ onOdd, isExact: true, ...rules }).encode(value, path);
}

/** The value that {@link toPlainValues} got. */
export function fromPlainValues(value: unknown, rules: DecodeRules = {}): unknown {
  try {
    return new ValueDecoder(rules).decode(value);
  } catch (error) {
    const isTooDeep = error instanceof RangeError && error.message.includes("call stack");
    throw isTooDeep ? damagedValue("a value that is nested too deeply", error) : error;
  }
}

function refuseState(value: unknown, path: string, reason: Unstorable): never {
  if (reason === "circular") {
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

/** What a value is, for a message: "a Map", "a function", "undefined". */
export function describeKind(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "function") return value.name === "" ? "a function" : `the function ${value.name}`;
  if (typeof value === "object") return isPlainObject(value) ? "an object" : `a ${value.constructor?.name ?? "object"}`;
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  return `${typeof value === "number" ? "" : `the ${typeof value} `}${String(value)}`;
}
