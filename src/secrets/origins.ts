import { looksSecret } from "./looks-secret.ts";
import { rememberSecret, splitAtSecrets } from "./secret-values.ts";

/** A variable of the environment, and the resolver that read it. */
export interface ReadVariable {
  readonly resolver: "oc.env" | "secret";
  readonly name: string;
  readonly value: string;
}

/** How a value of a config was made from the environment. */
export interface Origin {
  /**
   * The expression that gives the value again, in the config language and without references to other keys. Undefined
   * if there is none, for example because a user's resolver was involved.
   */
  readonly expression: string | undefined;
  readonly variables: readonly ReadVariable[];
}

/** A value as a run folder stores it: not the value, but how a worker gets it from its own environment. */
export class EnvironmentValue {
  readonly expression: string;
  /** The key under which it was stored: `config.hub.token`. */
  readonly at: string;
  /** A few bits of a digest of the driver's variables, except those that look like secrets. */
  readonly variables: string;

  constructor(expression: string, at: string, variables = "") {
    this.expression = expression;
    this.at = at;
    this.variables = variables;
  }

  toString(): string {
    return this.expression;
  }
}

type Key = string | number;

// Stored beside the values and not in them, like the positions of a config.
const childrenOf = new WeakMap<object, ReadonlyMap<Key, Origin>>();
const wholes = new WeakMap<object, Origin>();
// A value that code copied out of a config (`{ token: config.token }`) is recognised by its key and its text.
const copies = new Map<string, Origin>();

/** Remembers which values of a section or list came from the environment. An empty map is remembered too. */
export function rememberOrigins(container: object, origins: ReadonlyMap<Key, Origin>): void {
  childrenOf.set(container, origins);
  for (const [key, origin] of origins) {
    const value = (container as Record<Key, unknown>)[key];
    if (typeof value === "object" && value !== null) wholes.set(value, origin);
    const isText = typeof key === "string" && typeof value === "string" && value !== "";
    if (isText) copies.set(copyKey(key, value), origin);
  }
}

/** Gives a copy the origins of the original, at all levels. `nameOf` maps renamed keys. */
export function copyOrigins(from: object, to: object, nameOf: (key: string) => string = (key) => key): void {
  // Skipped: a list of a million numbers has no origins.
  if (ArrayBuffer.isView(from) || (Array.isArray(from) && typeof from[0] === "number")) return;
  const origins = new Map<Key, Origin>();
  for (const name of Object.keys(from)) {
    const key = Array.isArray(from) ? Number(name) : nameOf(name);
    if (!Object.hasOwn(to, key)) continue;
    const value = (from as Record<Key, unknown>)[name];
    const origin = originOf(from, Array.isArray(from) ? Number(name) : name, value);
    if (origin !== undefined) origins.set(key, origin);
    const copy = (to as Record<Key, unknown>)[key];
    const isCopied = typeof value === "object" && value !== null && typeof copy === "object" && copy !== null;
    if (isCopied && copy !== value) copyOrigins(value, copy);
  }
  rememberOrigins(to, new Map([...(childrenOf.get(to) ?? []), ...origins]));
}

/** Registers the secrets among the variables of an origin. */
export function rememberSecretsOf(origin: Origin, value: unknown, isSecretKey: boolean): void {
  const secret = origin.variables.filter(
    ({ resolver, name }) => isSecretKey || resolver === "secret" || looksSecret(name),
  );
  for (const variable of secret)
    rememberSecret(variable.value, areUnchanged([variable]) ? expressionOf(variable) : undefined);
  if (secret.length > 0 && origin.expression === undefined && typeof value === "string") rememberSecret(value);
}

/** The origin of a value in an object, if it came from the environment. */
export function originOf(holder: object, key: Key, value: unknown): Origin | undefined {
  const known = childrenOf.get(holder);
  if (known !== undefined) return known.get(key);
  if (typeof value === "object" && value !== null) return wholes.get(value);
  return typeof value === "string" && typeof key === "string" ? copies.get(copyKey(key, value)) : undefined;
}

/**
 * The expression that a run folder stores instead of a value, if one is known that gives the same value in a worker. A
 * string that contains a secret is always recognised.
 */
export function expressionFor(holder: object | undefined, key: Key, value: unknown): string | undefined {
  // A target names code, and code is compared by its name.
  if (key === "_target_") return undefined;
  const origin = holder === undefined ? undefined : originOf(holder, key, value);
  if (origin?.expression !== undefined && areUnchanged(origin.variables)) return origin.expression;
  return typeof value === "string" ? expressionOfText(value) : undefined;
}

function expressionOfText(text: string): string | undefined {
  const parts = splitAtSecrets(text);
  return parts === undefined ? undefined : joinExpression(parts);
}

/** Joins plain parts and expressions into one expression. */
export function joinExpression(parts: readonly (string | { readonly expression: string })[]): string {
  return parts
    .map((part, i) => {
      if (typeof part !== "string") return part.expression;
      const isBeforeExpression = typeof parts[i + 1] === "object";
      const escaped = part.replace(/(\\*)\$\{/g, "$1$1\\${");
      return isBeforeExpression ? escaped.replace(/\\+$/, "$&$&") : escaped;
    })
    .join("");
}

/** True if the variables still have the values that were read. Workers inherit the environment of this process. */
function areUnchanged(variables: readonly ReadVariable[]): boolean {
  return variables.every(({ resolver, name, value }) =>
    resolver === "oc.env"
      ? process.env[name] === value
      : (process.env[name] ?? "") === value || process.env[`${name}_FILE`] !== undefined,
  );
}

/** The interpolation that reads a variable. Undefined for a name that the config language cannot express. */
export function expressionOf({ resolver, name }: ReadVariable): string | undefined {
  return /^[A-Za-z_]\w*$/.test(name) ? `\${${resolver}:${name}}` : undefined;
}

// `data_root` and `dataRoot` are the same key.
function copyKey(key: string, value: string): string {
  return `${key.replaceAll(/[_-]/g, "").toLowerCase()}\0${value}`;
}
