// Replaces src/launchers/explain-unknown-option.ts: the options of the guide are known ones, and the page stays small.
export function explainUnknownOption(env: string, name: string): never {
  throw new Error(`${env} has no option ${name}.`);
}
