import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";
import { MillraceError } from "./errors.ts";

/** Imports a user's module; TypeScript too, where this Node.js needs help with it. */
export async function importModule(url: string): Promise<Record<string, unknown>> {
  // Before the first try: Node.js keeps the failure of a module and would answer with it again.
  if (needsHelp(url)) await registerTypeScript(url);
  return (await import(url)) as Record<string, unknown>;
}

function needsHelp(url: string): boolean {
  const isNative = Boolean((process.features as { typescript?: unknown }).typescript);
  // A thread repeats the arguments of its process, but tsx registers itself in main threads only.
  const isInherited = !isMainThread && process.execArgv.some((argument) => /\btsx\b/.test(argument));
  return isInherited || (!isNative && /\.[mc]?tsx?$/.test(url));
}

/** Teaches this process TypeScript, with the tsx of the user's project or the one beside this package. */
async function registerTypeScript(url: string): Promise<void> {
  for (const from of [url, import.meta.url]) {
    try {
      const { resolve } = createRequire(from);
      if (isMainThread) {
        await import(pathToFileURL(resolve("tsx")).href);
        return;
      }
      for (const api of ["tsx/cjs/api", "tsx/esm/api"]) {
        // The entries for `require` do not find their own files.
        const path = resolve(api).replace(/\.cjs$/, ".mjs");
        const { register } = (await import(pathToFileURL(path).href)) as { register: () => unknown };
        register();
      }
      return;
    } catch {
      // Not there; the next place may have it.
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
