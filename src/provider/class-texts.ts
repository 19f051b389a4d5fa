/** What the source text of a provider's classes says about how its objects come to their fields. */
export interface ClassTexts {
  /** Whether one of them has a constructor of its own, which may take other arguments than config and params. */
  readonly hasConstructor: boolean;
  /** Names of private fields, such as `#cache`, that occur in them. */
  readonly privateNames: readonly string[];
  /** Names that a compiler has given to private fields that are assigned, where it does not leave them as they are. */
  readonly loweredNames: readonly string[];
  /** Whether a function was written in one of them. */
  readonly contains: (functionText: string) => boolean;
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
  return {
    // A comment with that word costs no more than a second object of the class.
    hasConstructor: texts.some((text) => !text.startsWith("class") || /\bconstructor\s*\(/.test(text)),
    privateNames: [...new Set(all.match(/(?<![\w$"'`&/])#[A-Za-z_$][\w$]*/g) ?? [])],
    loweredNames: [...new Set([...all.matchAll(lowered)].map(([, name]) => name!))],
    contains: (functionText) => all.includes(functionText),
    assigns: (name) => new RegExp(`\\.${name.replaceAll("$", "\\$")}\\s*=(?!=)`).test(all),
  };
}
