/** What the source text of a provider's classes shows about the fields of its objects. */
export interface ClassTexts {
  /** Whether one of them has a constructor, which may take other arguments than config and params. */
  readonly hasConstructor: boolean;
  /** Names of private fields, such as `#cache`, that occur in them. */
  readonly privateNames: readonly string[];
  /** Names of private fields that a compiler has replaced by helpers (lowered), if the fields are assigned. */
  readonly loweredNames: readonly string[];
  /**
   * The text of a function that is certainly the same in every object of the class: it is written in the class outside
   * of a constructor (whose arguments it could capture), or it is a bound method of the object. Undefined for all other
   * functions.
   */
  readonly textOf: (made: (...args: never) => unknown) => string | undefined;
  /** Whether a private field is assigned outside of its declaration. */
  readonly assigns: (privateName: string) => boolean;
}

// The names of the helper in esbuild, TypeScript and Babel.
const lowered = /\b_{1,2}(?:privateSet|classPrivateFieldSet2?)\((?:this,\s*)?(\w+)/g;

/** Reads the classes of a provider, without the base class, which may be from another copy of this package. */
export function classTexts(provider: object): ClassTexts {
  const classes: unknown[] = [];
  let prototype = Object.getPrototypeOf(provider) as { constructor: unknown } | null;
  while (prototype !== null && prototype !== Object.prototype) {
    classes.push(prototype.constructor);
    prototype = Object.getPrototypeOf(prototype) as { constructor: unknown } | null;
  }
  const texts = classes.slice(0, -1).map(String);
  const all = texts.join("\n");
  const constructors = texts.map(constructorIn).join("\n");
  const outside = texts.map((text) => text.replace(constructorIn(text), "")).join("\n");
  return {
    // A wrong match, as in a comment, only causes that a second object of the class is made.
    hasConstructor: texts.some((text) => !text.startsWith("class") || /\bconstructor\s*\(/.test(text)),
    privateNames: [...new Set(all.match(/(?<![\w$"'`&/])#[A-Za-z_$][\w$]*/g) ?? [])],
    loweredNames: [...new Set([...all.matchAll(lowered)].map(([, name]) => name!))],
    textOf(made) {
      const text = String(made);
      const method = /^bound (.+)$/.exec(made.name)?.[1];
      if (method !== undefined && /\{ \[native code\] \}$/.test(text))
        return typeof Reflect.get(Object.getPrototypeOf(provider) as object, method) === "function"
          ? made.name
          : undefined;
      return outside.includes(text) && !constructors.includes(text) ? text : undefined;
    },
    assigns: (name) => new RegExp(`\\.${name.replaceAll("$", "\\$")}\\s*=(?!=)`).test(all),
  };
}

/** The text of the constructor of a class, or of the class from there on if the end is not found. */
function constructorIn(text: string): string {
  const from = text.search(/\bconstructor\s*\(/);
  if (from < 0) return "";
  // Brackets in strings and comments count too. Then the end is found too late or not at all, and more is refused.
  let open = 0;
  for (let at = text.indexOf("(", from); at < text.length; at++) {
    if ("({".includes(text[at]!)) open++;
    if (")}".includes(text[at]!)) open--;
    if (open === 0 && text[at] === "}") return text.slice(from, at + 1);
  }
  return text.slice(from);
}
