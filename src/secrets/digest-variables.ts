import { sha256 } from "../bytes/sha256.ts";
import { looksSecret } from "./looks-secret.ts";
import { maskSecrets } from "./secret-values.ts";

/**
 * A few bits of a digest of each variable that an expression reads: ` (DATA 3f2a)`. Enough to detect a change, too few
 * to confirm a guess at its value. Variables that look like secrets have none.
 */
export function digestVariables(expression: string): string {
  const names = [...expression.matchAll(/\$\{oc\.env:(\w+)\}/g)].map(([, name]) => name!);
  const digests = [...new Set(names)].flatMap((name) => {
    const value = process.env[name];
    if (value === undefined || looksSecret(name) || maskSecrets(value) !== value) return [];
    return `${name} ${sha256(`${name}\0${value}`).slice(0, 4)}`;
  });
  return digests.length === 0 ? "" : ` (${digests.join(", ")})`;
}
