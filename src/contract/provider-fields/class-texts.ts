/** What the source text of a provider's classes says about how its objects come to their fields. */
export interface ClassTexts {
  /** Whether one of them has a constructor of its own, which may take other arguments than config and params. */
  readonly hasConstructor: boolean;
  /** Names of private fields, such as `#cache`, that occur in them. */
  readonly privateNames: readonly string[];
  /** Names that a compiler has given to private fields that are assigned, where it does not leave them as they are. */
  readonly loweredNames: readonly string[];
  /**
   * The text of a function that is sure to be the same in every object of the class: it was written in one of them outside of a
   * constructor, whose arguments it could hold, or it is a method that was bound to the object. Undefined for any other.
   */
  readonly textOf: (made: (...args: never) => unknown) => string | undefined;
  /** Whether a private field is assigned somewhere else than where it is declared. */
  readonly assigns: (privateName: string) => boolean;
}

// As esbuild, TypeScript and Babel call the helper.
const lowered = /\b_{1,2}(?:privateSet|classPrivateFieldSet2?)\((?:this,\s*)?(\w+)/g;

/** Reads the classes of a provider but for the one that all of them extend, whichever copy of this package that is from. */
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
    // A comment with that word costs no more than a second object of the class.
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

/** The text of a class's constructor; all of the class where its end cannot be found. */
function constructorIn(text: string): string {
  const from = text.search(/\bconstructor\s*\(/);
  if (from < 0) return "";
  // Brackets in strings and comments count as well: then the end is found too late, or not at all, and more is refused.
  let open = 0;
  for (let at = text.indexOf("(", from); at < text.length; at++) {
    if ("({".includes(text[at]!)) open++;
    if (")}".includes(text[at]!)) open--;
    if (open === 0 && text[at] === "}") return text.slice(from, at + 1);
  }
  return text.slice(from);
}
