// Deeper values, and those that hold themselves, are left to the slower walk.
const deepest = 64;

/** The key that marks encoded values in a shard's state; a value that has it is not taken as it is. */
export const stateTag = "$millrace";

/**
 * Whether `JSON.stringify` keeps every part of a value: plain objects and arrays of texts, booleans, null and finite numbers.
 * It reads every value once, which costs less than the text.
 */
export function isExactJson(value: unknown, depth = 0): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value) && (value !== 0 || !Object.is(value, -0));
    case "object":
      if (value === null) return true;
      if (depth === deepest || (value as { toJSON?: unknown }).toJSON !== undefined) return false;
      return Array.isArray(value) ? isExactArray(value, depth + 1) : isExactObject(value, depth + 1);
    default:
      return false;
  }
}

function isExactArray(values: readonly unknown[], depth: number): boolean {
  // By index: a hole is undefined here, and left out by a loop over the keys.
  for (let i = 0; i < values.length; i++) if (!isExactJson(values[i], depth)) return false;
  return true;
}

function isExactObject(value: object, depth: number): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  for (const key in value) {
    if (!hasOwn.call(value, key)) continue;
    if (key === stateTag || !isExactJson((value as Record<string, unknown>)[key], depth)) return false;
  }
  return true;
}

const { hasOwnProperty: hasOwn } = Object.prototype;
