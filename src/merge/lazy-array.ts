import { inspect } from "node:util";

/**
 * An array whose elements are read when it is first looked at. A run of ten million records returns at once and uses
 * no memory unless someone asks for them; to whoever does, it is an ordinary array.
 */
export function lazyArray<T>(length: number, load: () => T[]): T[] {
  let elements: T[] | undefined;
  const all = () => (elements ??= load());
  const target: T[] = [];
  // console.log looks behind the proxy, at its target: it must find the elements there.
  Object.defineProperty(target, inspect.custom, { value: () => all(), enumerable: false });
  return new Proxy(target, {
    get(_target, key) {
      if (elements === undefined) {
        if (key === "length") return length;
        // `await` asks every value whether it is a promise.
        if (key === "then") return undefined;
      }
      return key === inspect.custom ? () => all() : (Reflect.get(all(), key) as unknown);
    },
    set: (_target, key, value) => Reflect.set(all(), key, value),
    has: (_target, key) => Reflect.has(all(), key),
    deleteProperty: (_target, key) => Reflect.deleteProperty(all(), key),
    ownKeys: () => Reflect.ownKeys(all()),
    defineProperty: (_target, key, descriptor) => Reflect.defineProperty(all(), key, descriptor),
    getOwnPropertyDescriptor(target, key) {
      const descriptor = Reflect.getOwnPropertyDescriptor(all(), key);
      // A proxy must describe `length` as its target has it: writable, not configurable.
      if (descriptor !== undefined && key === "length") target.length = all().length;
      return descriptor === undefined || key === "length" ? descriptor : { ...descriptor, configurable: true };
    },
  });
}
