import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { isMillraceError, messageOf } from "../shared/errors.ts";
import { nearestName } from "../shared/nearest-name.ts";
import { shellWord } from "../shared/shell-word.ts";
import { BadTarget, locateTarget } from "./locate-target.ts";

/** Imports a module by its URL. */
export type ImportModule = (url: string) => Promise<Record<string, unknown>>;

/** Something a config can call. */
export interface LoadedTarget {
  readonly call: (args: readonly unknown[]) => unknown;
}

/** Imports a `_target_`: a class is made with `new`, a function is called. */
export async function loadTarget(
  target: string,
  projectRoot: string,
  importModule: ImportModule,
): Promise<LoadedTarget> {
  const { url, exportPath } = locateTarget(target, projectRoot);
  const module = await importOrExplain(url, importModule);
  let holder: unknown;
  let found: unknown = module;
  for (const name of exportPath) {
    holder = found;
    found = readOwn(holder, name, url);
  }
  if (typeof found !== "function") {
    throw new BadTarget(`${exportPath.join(".")} is not a class or function`, `It is exported by ${url}.`);
  }
  const callable = found;
  const self = exportPath.length > 1 ? holder : undefined;
  return {
    call: (args) => (isClass(callable) ? Reflect.construct(callable, args) : Reflect.apply(callable, self, args)),
  };
}

async function importOrExplain(url: string, importModule: ImportModule): Promise<Record<string, unknown>> {
  try {
    return await importModule(url);
  } catch (cause) {
    const error = new BadTarget(`${url} cannot be imported: ${reasonOf(cause)}`, adviceOn(cause, url));
    error.cause = cause;
    throw error;
  }
}

// Its advice is the advice then, and not a part of the reason.
function reasonOf(cause: unknown): string {
  return isMillraceError(cause) ? cause.reason.replace(/\.$/, "") : messageOf(cause);
}

function adviceOn(cause: unknown, url: string): string {
  if (isMillraceError(cause) && cause.hint !== undefined) return cause.hint;
  const [, missing] = /^Cannot find package '([^']+)'/.exec(messageOf(cause)) ?? [];
  if (missing !== undefined) return `Run npm install ${shellWord(missing)}.`;
  if (cause instanceof SyntaxError && /\.[cm]?js$/.test(url))
    return `node --check ${shellWord(relative(process.cwd(), fileURLToPath(url)))} shows the line, if it is one of this file.`;
  return "The module ends with this error when it is loaded: mend it there.";
}

// Only what is exported, or a static member of it: never what every object inherits.
function readOwn(holder: unknown, name: string, url: string): unknown {
  const isHolder = (typeof holder === "object" && holder !== null) || typeof holder === "function";
  if (isHolder && Object.hasOwn(holder, name)) return (holder as Record<string, unknown>)[name];
  const names = isHolder ? Object.getOwnPropertyNames(holder) : [];
  const near = nearestName(name, names);
  const known = names.length === 0 ? "It exports nothing." : `It exports ${names.slice(0, 20).join(", ")}.`;
  throw new BadTarget(`${url} has no export ${name}`, near === undefined ? known : `Did you mean ${near}? ${known}`);
}

function isClass(value: { toString(): string }): value is new (...args: unknown[]) => unknown {
  return /^class\b/.test(Function.prototype.toString.call(value));
}
