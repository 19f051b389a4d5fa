import { inspect } from "node:util";

/**
 * An array whose elements are read on first access. A run of ten million records returns at once and uses no memory
 * unless the records are read. To callers it is an ordinary array.
 */
export function lazyArray<T>(length: number, elements: () => Iterable<T>): T[] {
  const target: T[] = [];
  let isFilled = false;
  const fill = (): T[] => {
    if (isFilled) return target;
    // Filled only if all elements were read. After an error the next access reads again.
    const all = [...elements()];
    Reflect.deleteProperty(target, inspect.custom);
    for (const element of all) target.push(element);
    isFilled = true;
    return target;
  };
  // console.log inspects the target of a proxy, so the target must not be empty.
  Object.defineProperty(target, inspect.custom, {
    value: () => inspect(fill()),
    enumerable: false,
    configurable: true,
  });
  return new Proxy(target, {
    get(_target, key) {
      // `await` reads `then` of every value; that must not trigger a read.
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
