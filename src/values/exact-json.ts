import { tag } from "./value-marks.ts";

// Deeper values and circular ones are left to the slower encoder.
const maxDepth = 64;

/**
 * True if `JSON.stringify` keeps every part of a value: plain objects and arrays of strings, booleans, null and finite
 * numbers. It reads every value once, which costs a fraction of building the text.
 */
export function isExactJson(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return isExactScalar(value);
  if (depth === maxDepth) return false;
  return Array.isArray(value) ? isExactArray(value, depth + 1) : isExactObject(value, depth + 1);
}

function isExactScalar(value: unknown): boolean {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  // -0 is excluded: JSON writes it as 0.
  return typeof value === "number" && Number.isFinite(value) && (value !== 0 || 1 / value > 0);
}

function isExactArray(values: readonly unknown[], depth: number): boolean {
  if ((values as { toJSON?: unknown }).toJSON !== undefined) return false;
  // By index: a hole is undefined here, but a loop over the keys would skip it.
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (!(typeof value === "object" && value !== null ? isExactJson(value, depth) : isExactScalar(value))) return false;
  }
  return true;
}

function isExactObject(object: object, depth: number): boolean {
  if (Object.getPrototypeOf(object) !== Object.prototype) return false;
  // An own toJSON is a function, so the loop finds it among the values.
  for (const key in object) {
    if (!hasOwn.call(object, key)) continue;
    const value = (object as Record<string, unknown>)[key];
    if (!(typeof value === "object" && value !== null ? isExactJson(value, depth) : isExactScalar(value))) return false;
    // The key of an encoded mark: this object must not be mistaken for one.
    if (key === tag) return false;
  }
  return true;
}

const { hasOwnProperty: hasOwn } = Object.prototype;
