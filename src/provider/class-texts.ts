/** What the source text of a provider's classes says about how its objects come to their fields. */
export interface ClassTexts {
  /** Whether one of them has a constructor of its own, which may take other arguments than config and params. */
  readonly hasConstructor: boolean;
  /** Names of private fields, such as `#cache`, that occur in them. */
  readonly privateNames: readonly string[];
  /** Whether a function was written in one of them. */
  readonly contains: (functionText: string) => boolean;
  /** Whether a private field is assigned somewhere else than where it is declared. */
  readonly assigns: (privateName: string) => boolean;
}

/** Reads the classes from that of an object up to, and without, a base class. */
export function classTexts(object: object, base: object): ClassTexts {
  const texts: string[] = [];
  let prototype = Object.getPrototypeOf(object) as { constructor: unknown } | null;
  while (prototype !== null && prototype.constructor !== base) {
    texts.push(String(prototype.constructor));
    prototype = Object.getPrototypeOf(prototype) as { constructor: unknown } | null;
  }
  const all = texts.join("\n");
  return {
    // A comment with that word costs no more than a second object of the class.
    hasConstructor: texts.some((text) => !text.startsWith("class") || /\bconstructor\s*\(/.test(text)),
    privateNames: [...new Set(all.match(/(?<![\w$"'`&/])#[A-Za-z_$][\w$]*/g) ?? [])],
    contains: (functionText) => all.includes(functionText),
    assigns: (name) => new RegExp(`\\.${name.replaceAll("$", "\\$")}\\s*=(?!=)`).test(all),
  };
}
