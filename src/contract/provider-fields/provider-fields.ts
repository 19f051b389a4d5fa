import { type ClassTexts, classTexts } from "./class-texts.ts";
import { privateFields } from "./private-fields.ts";

/** What an object carries under one name. */
export interface Field {
  readonly value: unknown;
  /** What it is where it is no ordinary property: those cannot be written down. */
  readonly special?: "private" | "lowered" | "hidden" | "an accessor" | undefined;
}

export type Fields = Map<string, Field>;

/** The fields of a provider besides config and params, the private ones of its classes included. */
export function providerFields(provider: object, texts: ClassTexts = classTexts(provider)): Fields {
  const fields = publicFields(provider);
  if (texts.privateNames.length > 0) {
    const unseen = () => new Map(texts.privateNames.map((name) => [name, Symbol("unseen") as unknown]));
    for (const [name, value] of privateFields(provider) ?? unseen()) fields.set(name, { value, special: "private" });
  }
  for (const name of texts.loweredNames) fields.set(name, { value: Symbol("unseen"), special: "lowered" });
  return fields;
}

/** The fields of a provider besides config and params that any code can see. */
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
