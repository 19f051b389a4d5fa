// Replaces src/runtime/import-module.ts: a browser has no files to import, and the guide has one module.
import * as embed from "../example/embed.ts";

export async function importModule(_url: string): Promise<Record<string, unknown>> {
  return embed;
}
