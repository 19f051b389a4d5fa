import { pathToFileURL } from "node:url";

/** The URL of the module that `import.meta`, or `module` of CommonJS, is. Undefined for anything else. */
export function urlOfModule(meta: unknown): string | undefined {
  const { url, filename } = (meta ?? {}) as { readonly url?: unknown; readonly filename?: unknown };
  if (typeof url === "string") return url;
  return typeof filename === "string" ? pathToFileURL(filename).href : undefined;
}
