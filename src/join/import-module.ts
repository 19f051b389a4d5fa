import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { MillraceError } from "../shared/errors.ts";

/** Imports a user's module; TypeScript too, where this Node.js needs help with it. */
export async function importModule(url: string): Promise<Record<string, unknown>> {
  try {
    return (await import(url)) as Record<string, unknown>;
  } catch (error) {
    if ((error as { code?: string } | null)?.code !== "ERR_UNKNOWN_FILE_EXTENSION") throw error;
    await registerTypeScript(url);
    return (await import(url)) as Record<string, unknown>;
  }
}

/** Teaches this process TypeScript, with the tsx of the user's project or the one beside this package. */
async function registerTypeScript(url: string): Promise<void> {
  for (const from of [url, import.meta.url]) {
    try {
      const path = createRequire(from).resolve("tsx/esm/api");
      const { register } = (await import(pathToFileURL(path).href)) as { register: () => unknown };
      register();
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
