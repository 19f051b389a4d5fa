/** Accumulators of statistics are typed arrays; plain JSON would silently turn them into objects. */
export const typedArrays: Readonly<Record<string, new (buffer: ArrayBuffer) => ArrayBufferView>> = {
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
};

/** The key that marks an object in JSON as a value that JSON does not have; its own value says which kind it is. */
export const tag = "$millrace";

/** Where a class is found again: the module that exports it and its name there. */
export interface InstanceReference {
  readonly module: string;
  readonly name: string;
}

/** One text for such a place. */
export function keyOf({ module, name }: InstanceReference): string {
  return `${name} of ${module}`;
}

/** An instance that can be written as JSON and made again from it. */
interface Travelling {
  toJSON(): unknown;
}

/** A class whose instances can be handed to another process. */
export interface TravellingClass {
  readonly name: string;
  readonly module: string;
  from(json: unknown): unknown;
}

/** The class of an instance that has `toJSON`, if the class has `module` and a static `from` as well. */
export function travellingClass(value: object): TravellingClass | undefined {
  const prototype = Object.getPrototypeOf(value) as { constructor?: unknown } | null;
  const found = prototype?.constructor;
  if (typeof found !== "function" || found.prototype !== prototype || found.name === "") return undefined;
  if (typeof (value as Partial<Travelling>).toJSON !== "function") return undefined;
  const { module, from } = found as Partial<TravellingClass>;
  // An inherited `module` would have a worker look for the class where it is not.
  if (!Object.hasOwn(found, "module") || typeof module !== "string" || typeof from !== "function") return undefined;
  return found as unknown as TravellingClass;
}

/** What `toJSON` of such an instance gives. */
export function jsonOf(value: object): unknown {
  return (value as Travelling).toJSON();
}

/** Whether a value is an object literal: not an instance of any class. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
