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

/** The key that marks a JSON object as a value that JSON does not have. The value under it names the kind. */
export const tag = "$millrace";

/** How to find a class or a function: the module that exports it and its name there. */
export interface InstanceReference {
  readonly module: string;
  readonly name: string;
}

/** A class reference as one string. */
export function keyOf({ module, name }: InstanceReference): string {
  return `${name} of ${module}`;
}

/** An instance that can be written as JSON and created again from it. */
interface Serializable {
  toJSON(): unknown;
}

/** A class whose instances can be sent to another process. */
export interface SerializableClass {
  readonly name: string;
  readonly module: string;
  from(json: unknown): unknown;
}

/** The class of an instance with `toJSON`, if the class also has `module` and a static `from`. */
export function serializableClassOf(value: object): SerializableClass | undefined {
  const prototype = Object.getPrototypeOf(value) as { constructor?: unknown } | null;
  const found = prototype?.constructor;
  if (typeof found !== "function" || found.prototype !== prototype || found.name === "") return undefined;
  if (typeof (value as Partial<Serializable>).toJSON !== "function") return undefined;
  return isSerializableClass(found) ? found : undefined;
}

export function isSerializableClass(found: object): found is SerializableClass {
  const { module, from } = found as Partial<SerializableClass>;
  // With an inherited `module` a worker would look for the class in the wrong module.
  return Object.hasOwn(found, "module") && typeof module === "string" && typeof from === "function";
}

/** How to find a function that names its module; undefined for any other. */
export function referenceOf(value: object): InstanceReference | undefined {
  const { name, module } = value as { readonly name?: unknown; readonly module?: unknown };
  if (!Object.hasOwn(value, "module") || typeof module !== "string" || typeof name !== "string" || name === "")
    return undefined;
  return { module, name };
}

/** What `toJSON` of such an instance returns. */
export function jsonOf(value: object): unknown {
  return (value as Serializable).toJSON();
}

/** True if a value is an object literal, not an instance of a class. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
