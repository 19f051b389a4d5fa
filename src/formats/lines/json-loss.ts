import { describeKind } from "../../values/state-json.ts";

/** Describes a value that JSON would lose, for a message. */
export function describeLoss(value: unknown): string {
  if (value instanceof Date) return "an invalid Date";
  if (typeof value !== "object" || value === null) return describeKind(value);
  const { name } = (value.constructor ?? {}) as { name?: string };
  // Iterators and the like have no class name.
  const kind = name === undefined || name === "" || name === "Object" ? tagOf(value) : name;
  const what = kind === "Object" ? "object without fields of its own" : kind;
  return `${/^[AEIOUaeiou]/.test(what) ? "an" : "a"} ${what}`;
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** What to do about a value that JSON would lose. */
export function adviceFor(value: unknown): string {
  switch (typeof value) {
    case "number":
      return 'Return a finite number, or null if there is none; nonFinite: "null" writes null for NaN and the infinities.';
    case "undefined":
      return "Return null if there is no value, or leave the key out.";
    case "bigint":
      return "Return String(value), or Number(value) if it is small enough.";
    case "function":
    case "symbol":
      return "Leave it out: it has no form on the disk.";
    default:
      return adviceForObject(value);
  }
}

function adviceForObject(value: unknown): string {
  if (value instanceof Date) return "Check what the Date was made of; return null if there is none.";
  if (value instanceof Map) return "Return Object.fromEntries(map), or [...map] if its keys are not texts.";
  if (value instanceof Set) return "Return [...set].";
  if (value instanceof Error) return "Throw it, so that the item counts as failed, or return its message.";
  if (value instanceof Promise) return "Put an await before it.";
  if (value instanceof BigInt64Array || value instanceof BigUint64Array) return "Return Array.from(values, String).";
  if (value instanceof ArrayBuffer || value instanceof DataView)
    return "Return a typed array of it: new Uint8Array(buffer) is written as an array of its bytes.";
  return "Return what it holds as a plain object or an array, or give its class a toJSON().";
}
