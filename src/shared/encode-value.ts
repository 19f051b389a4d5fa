import {
  isPlainObject,
  jsonOf,
  keyOf,
  type TravellingClass,
  tag,
  travellingClass,
  typedArrays,
} from "./value-marks.ts";

/** Why a value cannot be kept: what it is, that it holds itself, or that a property of it is no plain one. */
export type Oddness = "kind" | "circular" | "property";

/** What is put into the JSON for a value that JSON cannot hold. It may throw. */
export type OnOdd = (value: unknown, path: string, oddness: Oddness) => unknown;

export interface EncodeRules {
  readonly onOdd: OnOdd;
  /**
   * Nothing at all may differ: keys that are undefined are kept, a Buffer stays one, instances travel by `toJSON` and `from`, and
   * properties that are not plain are refused.
   */
  readonly isExact: boolean;
}

/** Plain values for JSON, with marks where JSON has no such value. An object that occurs twice comes back as one. */
export class ValueEncoder {
  readonly #rules: EncodeRules;
  readonly #holder: object | undefined;
  /** The objects in the order in which they were met: the decoder meets them in the same order. */
  readonly #numbers = new Map<object, number>();
  readonly #open = new Set<object>();
  /** The classes of the instances that were met, by `keyOf`. */
  readonly classes: Map<string, TravellingClass> = new Map();

  /** `holder` is the object that holds what is encoded: it must not occur in it. */
  constructor(rules: EncodeRules, holder?: object) {
    this.#rules = rules;
    this.#holder = holder;
  }

  encode(value: unknown, path: string): unknown {
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
    if (value instanceof URL && prototype === URL.prototype) return () => ({ [tag]: "URL", href: value.href });
    const found = isExact ? travellingClass(value) : undefined;
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
      plain.push(isHole(i) ? null : this.encode(value[i], `${path}[${i}]`));
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
    const object = Object.fromEntries(kept.map(([key, entry]) => [key, this.encode(entry, `${path}.${key}`)]));
    if (Object.getPrototypeOf(value) === null) return { [tag]: "bare", value: object };
    // A user's object that looks like a mark is wrapped in one.
    return Object.hasOwn(value, tag) ? { [tag]: "object", value: object } : object;
  }
}

/** Whether an object has no properties that would be left out: under symbols, computed, hidden, or beside an array's elements. */
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
  // Subclasses other than Buffer are bytes in a state, and would not come back as what they were.
  if (name === undefined && !(isExact ? isBuffer : view instanceof Uint8Array)) return undefined;
  const kind = isExact && isBuffer ? "Buffer" : (name ?? "Uint8Array");
  return () => {
    const bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength);
    return { [tag]: kind, base64: bytes.toString("base64") };
  };
}
