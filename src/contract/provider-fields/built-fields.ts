import { type Field, type Fields, providerFields } from "./provider-fields.ts";

/** Fields of a provider that were set while its env was built: the new value and the old one. */
type Built = Map<string, { readonly before: Field | undefined; readonly after: unknown }>;

const builtBy = new WeakMap<object, Built>();

/** Builds an env, and remembers which fields of the provider that sets. A worker sets them when it builds its own env. */
export async function noteBuiltFields<Env>(provider: object, build: () => Env | Promise<Env>): Promise<Env> {
  const before = providerFields(provider);
  try {
    return await build();
  } finally {
    const built: Built = builtBy.get(provider) ?? new Map();
    for (const [name, { value }] of providerFields(provider)) {
      const old = before.get(name);
      if (old !== undefined && Object.is(old.value, value)) continue;
      built.set(name, { before: built.get(name)?.before ?? old, after: value });
    }
    if (built.size > 0) builtBy.set(provider, built);
  }
}

/** The fields of a provider as they were before it built an env. */
export function fieldsBeforeBuild(provider: object, fields: Fields): Fields {
  const built = builtBy.get(provider);
  if (built === undefined) return fields;
  const before: Fields = new Map();
  for (const [name, field] of fields) {
    const noted = built.get(name);
    const isBuilt = noted !== undefined && Object.is(noted.after, field.value);
    const original = isBuilt ? noted.before : field;
    if (original !== undefined) before.set(name, original);
  }
  return before;
}
