// Values of this process that must not be written or shown, each with the expression it came from, if there is one.
const secrets = new Map<string, string | undefined>();
let pattern: RegExp | undefined;

/** Shorter values are words: they would be masked wherever they occur by chance. */
const minSecretLength = 7;

/** Registers a text as a secret, with the expression that gives it. */
export function rememberSecret(value: string, expression?: string): void {
  if (value.length < minSecretLength) return;
  const isKnown = secrets.has(value);
  if (!isKnown || expression !== undefined) secrets.set(value, expression ?? secrets.get(value));
  const inAddress = encodeURIComponent(value);
  if (inAddress !== value && !secrets.has(inAddress)) secrets.set(inAddress, undefined);
  if (!isKnown) pattern = undefined;
}

/** Replaces every known secret in a text with `***`. */
export function maskSecrets(text: string): string {
  return secrets.size === 0 ? text : text.replace(secretPattern(), "***");
}

/** Splits a text at the secrets in it and replaces each with its expression. Undefined if there is none. */
export function splitAtSecrets(text: string): (string | { readonly expression: string })[] | undefined {
  if (secrets.size === 0 || text.length < minSecretLength) return undefined;
  const parts: (string | { readonly expression: string })[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(secretPattern())) {
    const expression = secrets.get(found);
    if (expression === undefined) continue;
    parts.push(text.slice(from, index), { expression });
    from = index + found.length;
  }
  return from === 0 ? undefined : [...parts, text.slice(from)].filter((part) => part !== "");
}

// Longest first: one secret may be part of another.
function secretPattern(): RegExp {
  pattern ??= new RegExp(
    [...secrets.keys()]
      .sort((a, b) => b.length - a.length)
      .map((value) => value.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
      .join("|"),
    "g",
  );
  return pattern;
}
