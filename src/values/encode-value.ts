import { digestVariables } from "../secrets/digest-variables.ts";
import { EnvironmentValue } from "../secrets/origins.ts";
import {
  isPlainObject,
  jsonOf,
  keyOf,
  referenceOf,
  type SerializableClass,
  serializableClassOf,
  tag,
  typedArrays,
} from "./value-marks.ts";

/** Why a value cannot be stored: its type, a reference to itself, or a property that is not a plain data property. */
export type Unstorable = "kind" | "circular" | "property";

/** Returns what the JSON contains for a value that JSON cannot represent. May throw. */
export type OnUnstorable = (value: unknown, path: string, reason: Unstorable) => unknown;

export interface EncodeRules {
  readonly onOdd: OnUnstorable;
  /**
   * The decoded value must be identical: undefined keys are kept, a Buffer stays a Buffer, instances are stored by
   * `toJSON` and `from`, and properties that are not plain are refused.
   */
  readonly isExact: boolean;
  /** Functions that name their module are stored by module and name. Other functions cannot be stored. */
  readonly keepsFunctions?: boolean | undefined;
  /** The expression that is stored instead of a value that came from the environment. Undefined for any other value. */
  readonly expressionFor?: ((child: EncodedChild) => string | undefined) | undefined;
}

/** A value and its parent. The root has no parent. */
export interface EncodedChild {
  readonly value: unknown;
  readonly path: string;
  readonly holder: object | undefined;
  readonly key: string | number;
}

/**
 * Plain values for JSON, with marks for values that JSON does not have. An object that occurs twice is decoded as one
 * object.
 */
export class ValueEncoder {
  readonly #rules: EncodeRules;
  readonly #holder: object | undefined;
  /** The objects in the order in which they were visited; the decoder visits them in the same order. */
  readonly #numbers = new Map<object, number>();
  readonly #open = new Set<object>();
  /** The classes of the visited instances, by `keyOf`. */
  readonly classes: Map<string, SerializableClass> = new Map();

  /** `holder` is the object that contains the encoded value. It must not occur inside the value. */
  constructor(rules: EncodeRules, holder?: object) {
    this.#rules = rules;
    this.#holder = holder;
  }

  encode(value: unknown, path: string): unknown {
    return this.#encodeChild({ value, path, holder: undefined, key: "" });
  }

  #encodeChild(child: EncodedChild): unknown {
    const { value, path } = child;
    const expression = this.#rules.expressionFor?.(child);
    if (expression !== undefined)
      return environmentMark(new EnvironmentValue(expression, path, digestVariables(expression)));
    if (value instanceof EnvironmentValue) return environmentMark(value);
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
        return value === null ? null : this.#encodeObject(value, path);
      case "function": {
        const reference = this.#rules.keepsFunctions === true ? referenceOf(value) : undefined;
        if (reference !== undefined) return { [tag]: "function", ...reference };
      }
    }
    return this.#rules.onOdd(value, path, "kind");
  }

  #encodeObject(value: object, path: string): unknown {
    if (value === this.#holder) return this.#rules.onOdd(value, path, "circular");
    const number = this.#numbers.get(value);
    if (number !== undefined)
      return this.#open.has(value) ? this.#rules.onOdd(value, path, "circular") : { [tag]: "same", as: number };
    if (this.#rules.isExact && !hasPlainProperties(value)) return this.#rules.onOdd(value, path, "property");
    const encode = this.#encoderOf(value, path);
    if (encode === undefined) return this.#rules.onOdd(value, path, "kind");
    this.#numbers.set(value, this.#numbers.size);
    this.#open.add(value);
    const plain = encode();
    this.#open.delete(value);
    return plain;
  }

  #encoderOf(value: object, path: string): (() => unknown) | undefined {
    const { isExact } = this.#rules;
    const prototype: unknown = Object.getPrototypeOf(value);
    if (Array.isArray(value) && !(isExact && prototype !== Array.prototype))
      return () => this.#encodeArray(value, path);
    if (ArrayBuffer.isView(value)) return typedEncoder(value, isExact);
    if (isPlainObject(value)) return () => this.#encodePlain(value, path);
    if (value instanceof Map && prototype === Map.prototype)
      return () => ({ [tag]: "Map", entries: this.#encodeEntries(value, path) });
    if (value instanceof Set && prototype === Set.prototype)
      return () => ({ [tag]: "Set", values: [...value].map((entry, i) => this.encode(entry, `${path}[${i}]`)) });
    if (value instanceof Date && prototype === Date.prototype)
      return () => ({ [tag]: "Date", time: this.encode(value.getTime(), path) });
    if (value instanceof RegExp && prototype === RegExp.prototype) {
      const { source, flags, lastIndex } = value;
      return () => ({ [tag]: "RegExp", source, flags, lastIndex });
    }
    if (value instanceof URL && prototype === URL.prototype)
      return () => ({ [tag]: "URL", href: this.encode(value.href, path) });
    const found = isExact ? serializableClassOf(value) : undefined;
    if (found === undefined) return undefined;
    const { module, name } = found;
    this.classes.set(keyOf(found), found);
    return () => ({ [tag]: "instance", module, name, json: this.encode(jsonOf(value), `${path}.toJSON()`) });
  }

  #encodeArray(value: readonly unknown[], path: string): unknown {
    const isHole = (i: number) => value[i] === undefined && !(i in value);
    const plain: unknown[] = [];
    const holes: number[] = [];
    for (let i = 0; i < value.length; i++) {
      if (isHole(i)) holes.push(i);
      plain.push(
        isHole(i) ? null : this.#encodeChild({ value: value[i], path: `${path}[${i}]`, holder: value, key: i }),
      );
    }
    return holes.length === 0 ? plain : { [tag]: "sparse", values: plain, holes };
  }

  #encodeEntries(value: ReadonlyMap<unknown, unknown>, path: string): unknown[] {
    return [...value].map(([key, entry], i) => {
      const at = typeof key === "string" || typeof key === "number" ? `get(${JSON.stringify(key)})` : `entry ${i}`;
      return [this.encode(key, `${path}.key ${i}`), this.encode(entry, `${path}.${at}`)];
    });
  }

  #encodePlain(value: Record<string, unknown>, path: string): unknown {
    const kept = Object.entries(value).filter(([, entry]) => this.#rules.isExact || entry !== undefined);
    const object = Object.fromEntries(
      kept.map(([key, entry]) => [
        key,
        this.#encodeChild({ value: entry, path: `${path}.${key}`, holder: value, key }),
      ]),
    );
    if (Object.getPrototypeOf(value) === null) return { [tag]: "bare", value: object };
    // A user's object that looks like a mark is wrapped in a mark.
    return Object.hasOwn(value, tag) ? { [tag]: "object", value: object } : object;
  }
}

/**
 * True if no property of an object would be lost: none under a symbol, computed, hidden, or beside an array's elements.
 */
function hasPlainProperties(value: object): boolean {
  if (ArrayBuffer.isView(value) || value instanceof URL) return true;
  if (Object.getOwnPropertySymbols(value).length > 0) return false;
  if (isPlainObject(value))
    return Object.values(Object.getOwnPropertyDescriptors(value)).every(
      (property) => property.enumerable === true && "value" in property,
    );
  if (Array.isArray(value)) return Object.keys(value).every((key) => Number(key) < value.length);
  if (value instanceof Map || value instanceof Set || value instanceof Date || value instanceof RegExp)
    return Object.keys(value).length === 0;
  return true;
}

function typedEncoder(view: ArrayBufferView, isExact: boolean): (() => unknown) | undefined {
  const name = Object.keys(typedArrays).find((key) => view.constructor.name === key);
  const isBuffer = Buffer.isBuffer(view);
  // In a state, subclasses other than Buffer are stored as bytes. Here they are refused, because they would lose their
  // class.
  if (name === undefined && !(isExact ? isBuffer : view instanceof Uint8Array)) return undefined;
  const kind = isExact && isBuffer ? "Buffer" : (name ?? "Uint8Array");
  return () => {
    const bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength);
    return { [tag]: kind, base64: bytes.toString("base64") };
  };
}

function environmentMark({ expression, at, variables }: EnvironmentValue): object {
  return { [tag]: "environment", expression, at, ...(variables === "" ? {} : { variables }) };
}
