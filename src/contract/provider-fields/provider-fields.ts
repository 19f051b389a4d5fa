import { type ClassTexts, classTexts } from "./class-texts.ts";
import { privateFields } from "./private-fields.ts";

/** A field of an object. */
export interface Field {
  readonly value: unknown;
  /** The kind of a field that is not an ordinary property. Such fields cannot be captured. */
  readonly special?: "private" | "lowered" | "hidden" | "an accessor" | undefined;
}

export type Fields = Map<string, Field>;

/** The fields of a provider besides config and params, including private ones. */
export function providerFields(provider: object, texts: ClassTexts = classTexts(provider)): Fields {
  const fields = publicFields(provider);
  if (texts.privateNames.length > 0) {
    const unseen = () => new Map(texts.privateNames.map((name) => [name, Symbol("unseen") as unknown]));
    for (const [name, value] of privateFields(provider) ?? unseen()) fields.set(name, { value, special: "private" });
  }
  for (const name of texts.loweredNames) fields.set(name, { value: Symbol("unseen"), special: "lowered" });
  return fields;
}

/** The fields of a provider besides config and params, without private ones. */
export function publicFields(provider: object): Fields {
  const fields: Fields = new Map();
  for (const key of Reflect.ownKeys(provider)) {
    const property = Object.getOwnPropertyDescriptor(provider, key)!;
    if (key === "config" || key === "params") continue;
    const { get, set, value, enumerable } = property;
    if (get !== undefined || set !== undefined) fields.set(String(key), { value: [get, set], special: "an accessor" });
    else if (typeof key === "symbol" || enumerable !== true) fields.set(String(key), { value, special: "hidden" });
    else fields.set(key, { value });
  }
  return fields;
}
