import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { findProjectRoot } from "../config/find-project-root.ts";
import { type Frozen, loadConfig } from "../config/load-config.ts";
import { requireTrust } from "../config/require-trust.ts";
import { isMillraceError, MillraceError, messageOf } from "../errors/errors.ts";
import { importModule } from "../runtime/import-module.ts";
import type { CodeTrust } from "./command.ts";

const setupNames = ["millrace.setup.ts", "millrace.setup.mts", "millrace.setup.js", "millrace.setup.mjs"];

/**
 * Reads the config of a command. First imports the setup file of its project, if there is one: it is the only place
 * where a user of the command line can register resolvers. With `none` it is not imported, like all code of the
 * project.
 */
export async function readConfig<T = Record<string, unknown>>(
  path: string,
  overrides: readonly string[],
  trust: CodeTrust,
): Promise<Frozen<T>> {
  const root = findProjectRoot(path);
  const setup = setupNames.map((name) => join(root, name)).find((file) => existsSync(file));
  // Lazy: an error in a section that the command does not read must not stop it.
  const lazy = { lazy: true } as const;
  if (trust === "none")
    return loadConfig<T>(path, overrides, setup === undefined ? lazy : { ...lazy, skippedSetup: setup });
  if (trust === "user") requireTrust(placesOf(path, root, setup), root);
  if (setup !== undefined) await importSetup(setup);
  const onRead = (file: string) => {
    if (trust === "user") requireTrust([dirname(resolve(file)), resolve(file)], root);
  };
  return loadConfig<T>(path, overrides, { ...lazy, onRead });
}

/** The paths that can contain code, or names of code, that this config would run. */
function placesOf(path: string, root: string, setup: string | undefined): string[] {
  const places = [root, join(root, "package.json"), dirname(resolve(path)), resolve(path)];
  return setup === undefined ? places : [...places, setup];
}

async function importSetup(file: string): Promise<void> {
  try {
    await importModule(pathToFileURL(file).href);
  } catch (cause) {
    if (isMillraceError(cause)) throw cause;
    throw new MillraceError("BAD_CONFIG", `${file} failed: ${messageOf(cause)}`, {
      cause,
      hint: "It is imported before the config is read, to register resolvers. The file itself threw this error: fix it there.",
    });
  }
}
