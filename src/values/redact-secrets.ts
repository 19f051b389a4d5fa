import { isSecretText, looksSecret } from "../secrets/looks-secret.ts";
import { EnvironmentValue } from "../secrets/origins.ts";
import { isPlainObject } from "./value-marks.ts";

/**
 * Values as they may be shown: `***` for strings under keys that look like secrets, expressions for what comes from the
 * environment.
 */
export function redactSecrets(value: unknown, isSecret = false): unknown {
  if (value instanceof EnvironmentValue) return value.expression;
  if (isSecret && isSecretText(value)) return "***";
  if (Array.isArray(value)) return value.map((entry) => redactSecrets(entry, isSecret));
  const show = ([key, entry]: [unknown, unknown]): [unknown, unknown] => [
    key,
    redactSecrets(entry, isSecret || (typeof key === "string" && looksSecret(key))),
  ];
  if (value instanceof Map) return new Map([...value].map(show));
  return isPlainObject(value) ? Object.fromEntries(Object.entries(value).map(show) as [string, unknown][]) : value;
}

/**
 * The keys of strings that look like secrets and are not expressions: the run folder would contain the secret itself.
 */
export function findClearSecrets(
  value: unknown,
  path: string,
  isHidden: (holder: object, key: string | number, value: unknown) => boolean,
  isSecret = false,
): string[] {
  if (!Array.isArray(value) && !isPlainObject(value)) return [];
  // Skipped: a list of a million ids contains no secret.
  if (Array.isArray(value) && !isSecret && typeof value[0] !== "object") return [];
  return Object.entries(value).flatMap(([name, entry]: [string, unknown]) => {
    const key = Array.isArray(value) ? Number(name) : name;
    const at = typeof key === "number" ? `${path}[${key}]` : `${path}.${key}`;
    const isOne = isSecret || (typeof key === "string" && looksSecret(key));
    if (isHidden(value, key, entry)) return [];
    if (isOne && isSecretText(entry)) return [at];
    return findClearSecrets(entry, at, isHidden, isOne);
  });
}
