import { tag } from "./value-marks.ts";

// Deeper values, and those that hold themselves, are left to the slower walk.
const deepest = 64;

/**
 * Whether `JSON.stringify` keeps every part of a value: plain objects and arrays of texts, booleans, null and finite numbers.
 * It reads every value once, which costs a fraction of making the text.
 */
export function isExactJson(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return isExactScalar(value);
  if (depth === deepest) return false;
  return Array.isArray(value) ? isExactArray(value, depth + 1) : isExactObject(value, depth + 1);
}

function isExactScalar(value: unknown): boolean {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  // Not -0, which JSON writes as 0.
  return typeof value === "number" && Number.isFinite(value) && (value !== 0 || 1 / value > 0);
}

function isExactArray(values: readonly unknown[], depth: number): boolean {
  if ((values as { toJSON?: unknown }).toJSON !== undefined) return false;
  // By index: a hole is undefined here, and left out by a loop over the keys.
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (!(typeof value === "object" && value !== null ? isExactJson(value, depth) : isExactScalar(value))) return false;
  }
  return true;
}

function isExactObject(object: object, depth: number): boolean {
  if (Object.getPrototypeOf(object) !== Object.prototype) return false;
  // An own toJSON is a function among the values.
  for (const key in object) {
    if (!hasOwn.call(object, key)) continue;
    const value = (object as Record<string, unknown>)[key];
    if (!(typeof value === "object" && value !== null ? isExactJson(value, depth) : isExactScalar(value))) return false;
    // A mark of encoded values: it must not be taken for one.
    if (key === tag) return false;
  }
  return true;
}

const { hasOwnProperty: hasOwn } = Object.prototype;
