import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";
import { MillraceError } from "../errors/errors.ts";

/** Imports a user's module. Registers a TypeScript loader first where this Node.js needs one. */
export async function importModule(url: string): Promise<Record<string, unknown>> {
  // Before the first import: Node.js caches the failure of a module.
  if (needsTypeScriptLoader(url)) await registerTypeScript(url);
  return (await import(url)) as Record<string, unknown>;
}

function needsTypeScriptLoader(url: string): boolean {
  const { bun, deno } = process.versions;
  // Bun and Deno load TypeScript themselves, and do not all say so.
  const isNative = Boolean((process.features as { typescript?: unknown }).typescript ?? bun ?? deno);
  // A thread inherits the arguments of its process, but tsx registers itself only in main threads.
  const isInherited = !isMainThread && process.execArgv.some((argument) => /\btsx\b/.test(argument));
  return isInherited || (!isNative && /\.[mc]?tsx?$/.test(url));
}

/** Registers the tsx of the user's project, or the one beside this package, in this process. */
async function registerTypeScript(url: string): Promise<void> {
  for (const from of [url, import.meta.url]) {
    try {
      const { resolve } = createRequire(from);
      if (isMainThread) {
        await import(pathToFileURL(resolve("tsx")).href);
        return;
      }
      for (const api of ["tsx/cjs/api", "tsx/esm/api"]) {
        // tsx's entries for `require` do not find their own files.
        const path = resolve(api).replace(/\.cjs$/, ".mjs");
        const { register } = (await import(pathToFileURL(path).href)) as { register: () => unknown };
        register();
      }
      return;
    } catch {
      // Not installed here; try the next place.
    }
  }
  throw new MillraceError(
    "BAD_RUNNER",
    `${url} is TypeScript, which Node.js ${process.version} cannot load by itself.`,
    {
      hint: "Install tsx (npm install --save-dev tsx), use Node.js 22.18 or newer, or point `module` at compiled JavaScript.",
    },
  );
}
