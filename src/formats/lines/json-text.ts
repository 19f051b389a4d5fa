import { messageOf } from "../../errors/errors.ts";
import { isExactJson } from "../../values/exact-json.ts";
import { adviceFor, describeLoss } from "./json-loss.ts";

/** How NaN and the infinities are written, which JSON does not have. */
export type NonFinite = "refuse" | "null";

export interface JsonTextOptions {
  /** The name of the value in the path of a refused part. */
  readonly root: string;
  readonly nonFinite?: NonFinite | undefined;
}

/** A value as JSON, or the part that JSON would lose. */
export type JsonText =
  | { readonly text: string }
  | { readonly problem: string; readonly hint: string; readonly cause?: unknown };

/**
 * A value as JSON, without loss: typed arrays become arrays, a `toJSON` is called, and every other value that JSON
 * would change is reported with its path.
 */
export function jsonText(value: unknown, { root, nonFinite = "refuse" }: JsonTextOptions): JsonText {
  try {
    if (isExactJson(value)) return { text: JSON.stringify(value) };
    return { text: JSON.stringify(keep(value, { root, nonFinite, keys: [], above: [] })) };
  } catch (error) {
    if (error instanceof JsonLoss) return { problem: `${error.path} is ${error.message}`, hint: error.hint };
    const isTooDeep = error instanceof RangeError;
    const problem = isTooDeep ? `${root} is nested too deep` : messageOf(error).split("\n", 1)[0]!;
    return { problem, hint: "Make it of plain objects, arrays, numbers and strings.", cause: error };
  }
}

/** Stops the walk at a value that JSON would lose. */
class JsonLoss extends Error {
  readonly path: string;
  readonly hint: string;

  constructor(walk: Walk, what: string, hint: string) {
    super(what);
    this.path = pathOf(walk, walk.keys.length);
    this.hint = hint;
  }
}

/** The position of the walk. The path becomes a string only if needed. */
interface Walk {
  readonly root: string;
  readonly nonFinite: NonFinite;
  readonly keys: (string | number)[];
  readonly above: unknown[];
}

/** The value in the form that JSON.stringify keeps. */
function keep(value: unknown, walk: Walk): unknown {
  if (ArrayBuffer.isView(value)) return keepView(value, walk);
  if (value instanceof Date && Number.isNaN(value.getTime())) throw lossOf(value, walk);
  const { toJSON } = (value ?? {}) as { toJSON?: unknown };
  if (typeof toJSON !== "function") return keepPlain(value, walk);
  const made: unknown = toJSON.call(value, String(walk.keys.at(-1) ?? ""));
  return ArrayBuffer.isView(made) ? keepView(made, walk) : keepPlain(made, walk);
}

function keepPlain(value: unknown, walk: Walk): unknown {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return keepNumber(value, walk);
  if (value instanceof Number) return keepNumber(Number(value), walk);
  if (value instanceof String || value instanceof Boolean) return value.valueOf();
  if (typeof value !== "object" || isLossy(value)) throw lossOf(value, walk);
  const at = walk.above.indexOf(value);
  if (at !== -1) {
    const hint = "A value that holds itself has no end as JSON: leave the reference out.";
    throw new JsonLoss(walk, `${pathOf(walk, at)} again`, hint);
  }
  walk.above.push(value);
  const kept = Array.isArray(value) ? keepArray(value, walk) : keepFields(value, walk);
  walk.above.pop();
  return kept;
}

function keepArray(values: readonly unknown[], walk: Walk): unknown[] {
  const kept: unknown[] = [];
  for (let i = 0; i < values.length; i++) {
    walk.keys.push(i);
    kept.push(keep(values[i], walk));
    walk.keys.pop();
  }
  return kept;
}

function keepFields(value: object, walk: Walk): object {
  // Without a prototype: a key may be `__proto__`.
  const kept: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value)) {
    walk.keys.push(key);
    kept[key] = keep((value as Record<string, unknown>)[key], walk);
    walk.keys.pop();
  }
  return kept;
}

function keepView(view: ArrayBufferView, walk: Walk): unknown[] {
  if (view instanceof DataView || view instanceof BigInt64Array || view instanceof BigUint64Array)
    throw lossOf(view, walk);
  const numbers = Array.from(view as Float64Array);
  return numbers.every(Number.isFinite) ? numbers : keepArray(numbers, walk);
}

function keepNumber(value: number, walk: Walk): number | null {
  if (Number.isFinite(value)) return value;
  if (walk.nonFinite === "null") return null;
  throw lossOf(value, walk);
}

const lossyClasses = [
  Map,
  Set,
  WeakMap,
  WeakSet,
  Error,
  Promise,
  RegExp,
  ArrayBuffer,
  SharedArrayBuffer,
  BigInt,
  Symbol,
];

/** True if JSON.stringify would lose content of an object: it is not in the object's own fields. */
function isLossy(value: object): boolean {
  if (Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Includes an object literal of another realm.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (isPlain) return false;
  return lossyClasses.some((kind) => value instanceof kind) || Object.keys(value).length === 0;
}

function lossOf(value: unknown, walk: Walk): JsonLoss {
  return new JsonLoss(walk, describeLoss(value), adviceFor(value));
}

function pathOf({ root, keys }: Walk, length: number): string {
  const steps = keys.slice(0, length).map((key) => {
    if (typeof key === "number") return `[${key}]`;
    return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  });
  return `${root}${steps.join("")}`;
}
