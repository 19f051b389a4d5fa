import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { definitionIn } from "../../contract/definition-mark.ts";
import { MillraceError, messageOf } from "../../errors/errors.ts";
import type { ClassReference } from "../../run-folder/run/run-spec.ts";
import { importModule } from "../../runtime/import-module.ts";

type Constructor = new (...args: never[]) => object;

interface LoadOptions {
  readonly cwd: string;
  readonly code: "BAD_RUNNER" | "BAD_PROVIDER";
  /** The word for it in messages. Default: class. */
  readonly kind?: "class" | "function";
}

/** Imports a module and finds a class or function among its exports, or in a definition that it exports. */
export async function loadClass(
  { module, name, definition }: ClassReference,
  { cwd, code, kind = "class" }: LoadOptions,
): Promise<Constructor> {
  const url = moduleUrl(requireModule(module, name), cwd);
  const exported = await importForWorker(url, name);
  // The exports of a module that was loaded as CommonJS are in `default`.
  const values: unknown[] = [exported, Object(exported["default"]) as object].flatMap((all) => Object.values(all));
  if (definition !== undefined) {
    const found = values.map(definitionIn).find((one) => one?.position === definition);
    if (found !== undefined) return code === "BAD_RUNNER" ? found.Runner : found.Provider;
    throw new MillraceError(code, `${url} does not export the definition that the run was started with.`, {
      hint: "Write `export const name = defineRun(import.meta, { … })` at the top level of the module: a worker looks for it among the exports.",
    });
  }
  const found = values.find((value): value is Constructor => typeof value === "function" && value.name === name);
  if (found !== undefined) return found;
  const names = Object.keys(exported);
  throw new MillraceError(code, `${url} does not export a ${kind} ${name}.`, {
    hint: `Write \`export ${kind} ${name}\`: a worker has to import it. ${names.length === 0 ? "It exports nothing." : `It exports ${names.join(", ")}.`}`,
  });
}

function requireModule(module: string | undefined, name: string): string {
  if (module !== undefined) return module;
  throw new MillraceError("BAD_RUNNER", `${name} has no static \`module\`, so a worker cannot find it.`, {
    hint: `Add \`defineRunner(import.meta, ${name})\` (or defineProvider) below the class, and export the class.`,
  });
}

async function importForWorker(url: string, name: string): Promise<Record<string, unknown>> {
  try {
    return await importModule(url);
  } catch (cause) {
    if (cause instanceof MillraceError) throw cause;
    // Another copy of this package has another MillraceError class.
    if ((cause as { code?: unknown } | null)?.code === "RUN_IN_WORKER") throw cause;
    throw new MillraceError("BAD_RUNNER", `A worker could not import ${url} for ${name}: ${messageOf(cause)}`, {
      cause,
      hint: "A worker imports the module in a new process: it must load without anything that the main script has done before.",
    });
  }
}

/** The URL of a module that is given as a URL, a path, or a package. Packages are resolved from `cwd`. */
function moduleUrl(module: string, cwd: string): string {
  if (module.startsWith("file:")) return module;
  // A spec names code; it must not contain code, as a data: URL would.
  if (/^[a-z][a-z+.-]+:/i.test(module) && !isAbsolute(module)) {
    throw new MillraceError(
      "BAD_RUNNER",
      `${JSON.stringify(module.slice(0, 80))} is not a module that a worker may import.`,
      {
        hint: "`module` is import.meta.url of a file, a path, or the name of an installed package.",
      },
    );
  }
  if (isAbsolute(module)) return pathToFileURL(module).href;
  if (/^\.\.?[/\\]/.test(module)) return pathToFileURL(join(cwd, module)).href;
  try {
    return pathToFileURL(createRequire(join(cwd, "package.json")).resolve(module)).href;
  } catch {
    // `require.resolve` does not find a package that has only an `import` entry.
    return importEntry(module, cwd) ?? module;
  }
}

/** The `import` entry of a package. Node.js 20 can resolve it only from the place of this package, not from `cwd`. */
function importEntry(module: string, cwd: string): string | undefined {
  const [, name, subpath] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(module)!;
  const require = createRequire(join(cwd, "package.json"));
  for (const folder of require.resolve.paths(name!) ?? []) {
    const description = join(folder, name!, "package.json");
    if (!existsSync(description)) continue;
    const { exports } = JSON.parse(readFileSync(description, "utf8")) as { exports?: Record<string, unknown> };
    const target = pick(exports?.[`.${subpath}`] ?? (subpath === "" ? exports : undefined));
    return target === undefined ? undefined : pathToFileURL(join(folder, name!, target)).href;
  }
  return undefined;
}

function pick(entry: unknown): string | undefined {
  if (typeof entry === "string") return entry;
  if (typeof entry !== "object" || entry === null) return undefined;
  const conditions = ["node", "import", "module-sync", "default"];
  for (const [key, inner] of Object.entries(entry)) {
    const target = Array.isArray(entry) || conditions.includes(key) ? pick(inner) : undefined;
    if (target !== undefined) return target;
  }
  return undefined;
}
