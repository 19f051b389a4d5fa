import { toPlainValues } from "../../values/state-json.ts";

/** Thrown for a value whose content cannot be seen. */
class Unseen extends Error {}

/**
 * Describes a value, with its functions and instances, as one text: values with the same text are equal. Undefined if a
 * part cannot be seen, such as private fields of an instance, or variables that a function has captured.
 *
 * @param showFunction - the text of a function; undefined if it may have captured different variables
 */
export function visibleText(
  value: unknown,
  showFunction: (made: (...args: never) => unknown) => string | undefined,
): string | undefined {
  const open = new Set<object>();
  const show = (part: unknown): unknown =>
    toPlainValues(part, "", (odd, _path, oddness) => {
      if (oddness !== "kind") throw new Unseen();
      const shownFunction = typeof odd === "function" ? showFunction(odd as (...args: never) => unknown) : undefined;
      if (shownFunction !== undefined) return { function: shownFunction };
      if (typeof odd !== "object" || odd === null || open.has(odd)) throw new Unseen();
      open.add(odd);
      const shown = { class: visibleClass(odd), fields: show(visibleFields(odd)) };
      open.delete(odd);
      return shown;
    });
  try {
    return JSON.stringify(show(value)) ?? "undefined";
  } catch (error) {
    // The text would be too long, for instance.
    if (error instanceof Unseen || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The names of the classes of an instance. Throws unless all are written in JavaScript and have no private fields. */
function visibleClass(instance: object): string {
  const names: string[] = [];
  let prototype = Object.getPrototypeOf(instance) as { constructor: unknown } | null;
  while (prototype !== null && prototype !== Object.prototype) {
    if (typeof prototype.constructor !== "function") throw new Unseen();
    const text = String(prototype.constructor);
    if (text.includes("[native code]") || /#[A-Za-z_$]/.test(text)) throw new Unseen();
    names.push(prototype.constructor.name);
    prototype = Object.getPrototypeOf(prototype) as { constructor: unknown } | null;
  }
  return names.join(" ");
}

function visibleFields(instance: object): object {
  const properties = Object.getOwnPropertyDescriptors(instance);
  const keys = Reflect.ownKeys(properties);
  const areVisible = keys.every((key) => typeof key === "string" && "value" in Reflect.get(properties, key));
  if (!areVisible) throw new Unseen();
  return Object.fromEntries(Object.entries(properties).map(([key, property]) => [key, property.value as unknown]));
}

/** Describes a function by its name: its text may differ, because a worker can load a module with another compiler. */
export function nameOfFunction({ name }: (...args: never) => unknown): string {
  return name;
}
