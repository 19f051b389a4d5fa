import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { MillraceError, messageOf } from "../shared/errors.ts";
import { importModule } from "../shared/import-module.ts";
import type { ClassReference } from "../store/run-spec.ts";

type Constructor = new (...args: never[]) => object;

/** Imports the module of a class and finds the class among its exports. */
export async function loadClass(
  { module, name }: ClassReference,
  { cwd, code }: { readonly cwd: string; readonly code: "BAD_RUNNER" | "BAD_PROVIDER" },
): Promise<Constructor> {
  const url = moduleUrl(requireModule(module, name), cwd);
  const exported = await importForWorker(url, name);
  // A module that was loaded as CommonJS has its exports in `default`.
  const found = [exported, Object(exported["default"]) as object]
    .flatMap((all) => Object.values(all))
    .find((value): value is Constructor => typeof value === "function" && value.name === name);
  if (found !== undefined) return found;
  const names = Object.keys(exported);
  throw new MillraceError(code, `${url} does not export a class ${name}.`, {
    hint: `Write \`export class ${name}\`: a worker has to import it. ${names.length === 0 ? "It exports nothing." : `It exports ${names.join(", ")}.`}`,
  });
}

function requireModule(module: string | undefined, name: string): string {
  if (module !== undefined) return module;
  throw new MillraceError("BAD_RUNNER", `${name} has no static \`module\`, so a worker cannot find it.`, {
    hint: "Add `static readonly module = import.meta.url;` to the class and export it.",
  });
}

async function importForWorker(url: string, name: string): Promise<Record<string, unknown>> {
  try {
    return await importModule(url);
  } catch (cause) {
    if (cause instanceof MillraceError) throw cause;
    // Another copy of this package has its own class of errors.
    if ((cause as { code?: unknown } | null)?.code === "RUN_IN_WORKER") throw cause;
    throw new MillraceError("BAD_RUNNER", `A worker could not import ${url} for ${name}: ${messageOf(cause)}`, {
      cause,
      hint: "A worker imports the module as a fresh process would: it must load without what the main script did before.",
    });
  }
}

/** Where a module is: a URL, a path, or a package as seen from the folder the run was started in. */
function moduleUrl(module: string, cwd: string): string {
  if (module.startsWith("file:")) return module;
  // A spec names code and never carries it.
  if (/^[a-z][a-z+.-]+:/i.test(module) && !isAbsolute(module)) {
    throw new MillraceError(
      "BAD_RUNNER",
      `${JSON.stringify(module.slice(0, 80))} is no module that a worker may import.`,
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
    // A package that has an entry for `import` only is not found that way.
    return importEntry(module, cwd) ?? module;
  }
}

/** What a package names for `import`, which Node.js 20 resolves from this package's own place only. */
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
