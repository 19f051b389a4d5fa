import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { findProjectRoot } from "../config/find-project-root.ts";
import { type Frozen, loadConfig } from "../config/load-config.ts";
import { isMillraceError, MillraceError, messageOf } from "../shared/errors.ts";
import { importModule } from "../shared/import-module.ts";

const setupNames = ["millrace.setup.ts", "millrace.setup.mts", "millrace.setup.js", "millrace.setup.mjs"];

/**
 * Reads the config that a command was given. The setup file of its project comes first, where there is one: a command has no
 * other place at which the user could register a resolver.
 */
export async function readConfig<T = Record<string, unknown>>(
  path: string,
  overrides: readonly string[],
): Promise<Frozen<T>> {
  const root = findProjectRoot(path);
  const setup = setupNames.map((name) => join(root, name)).find((file) => existsSync(file));
  if (setup !== undefined) await importSetup(setup);
  return loadConfig<T>(path, overrides);
}

async function importSetup(file: string): Promise<void> {
  try {
    await importModule(pathToFileURL(file).href);
  } catch (cause) {
    if (isMillraceError(cause)) throw cause;
    throw new MillraceError("BAD_CONFIG", `${file} failed: ${messageOf(cause)}`, {
      cause,
      hint: "It is imported before the config is read, to register resolvers. The error is its own: mend it there.",
    });
  }
}
