// In strings and in comments, too: a module that counts without being imported does no harm.
const imported = /\b(?:from|import|require(?:\s*\.\s*resolve)?\s*\(|import\s*\()\s*(["'`])([^"'`\\\n$]+)\1/g;
const byUrl = /\bnew\s+URL\s*\(\s*(["'`])([^"'`\\\n$]+)\1\s*,\s*import\s*\.\s*meta\s*\.\s*url/g;
// Data that is found by its URL may be of any size, and belongs to the config.
const moduleName = /\.(?:[mc]?[jt]sx?|wasm|node)$/;

/** The modules that a text names: what it imports or requires by a literal, and scripts that it finds by their URL. */
export function findSpecifiers(text: string): string[] {
  const found = new Set<string>();
  for (const [, , specifier] of text.matchAll(imported)) found.add(specifier!);
  for (const [, , specifier] of text.matchAll(byUrl)) {
    if (!moduleName.test(specifier!)) continue;
    found.add(/^(?:\.|\/|[a-z]+:)/.test(specifier!) ? specifier! : `./${specifier}`);
  }
  return [...found];
}
