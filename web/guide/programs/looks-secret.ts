// Replaces src/secrets/looks-secret.ts: no config of the guide holds a secret, and the page stays small.
export function looksSecret(): boolean {
  return false;
}

export function isSecretText(): boolean {
  return false;
}
