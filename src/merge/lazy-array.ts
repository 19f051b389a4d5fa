import { inspect } from "node:util";

/**
 * An array whose elements are read when it is first looked at. A run of ten million records returns at once and uses
 * no memory unless someone asks for them; to whoever does, it is an ordinary array.
 */
export function lazyArray<T>(length: number, elements: () => Iterable<T>): T[] {
  const target: T[] = [];
  let isFilled = false;
  const fill = (): T[] => {
    if (isFilled) return target;
    // All of them or none: a read that failed is tried again at the next look.
    const all = [...elements()];
    Reflect.deleteProperty(target, inspect.custom);
    for (const element of all) target.push(element);
    isFilled = true;
    return target;
  };
  // console.log looks behind the proxy: it must not find the array empty.
  Object.defineProperty(target, inspect.custom, {
    value: () => inspect(fill()),
    enumerable: false,
    configurable: true,
  });
  return new Proxy(target, {
    get(_target, key) {
      // `await` asks every value whether it is a promise; that is not looking at it.
      if (!isFilled && key === "length") return length;
      return key === "then" ? undefined : (Reflect.get(fill(), key) as unknown);
    },
    set: (_target, key, value) => Reflect.set(fill(), key, value),
    has: (_target, key) => Reflect.has(fill(), key),
    preventExtensions: () => Reflect.preventExtensions(fill()),
    ownKeys: () => Reflect.ownKeys(fill()),
    deleteProperty: (_target, key) => Reflect.deleteProperty(fill(), key),
    defineProperty: (_target, key, descriptor) => Reflect.defineProperty(fill(), key, descriptor),
    getOwnPropertyDescriptor: (_target, key) => Reflect.getOwnPropertyDescriptor(fill(), key),
  });
}
