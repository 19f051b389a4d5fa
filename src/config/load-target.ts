import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { isMillraceError, messageOf } from "../errors/errors.ts";
import { nearestName } from "../text/nearest-name.ts";
import { shellWord } from "../text/shell-word.ts";
import { describeKind } from "../values/state-json.ts";
import { BadTarget } from "./bad-target.ts";
import { locateTarget } from "./locate-target.ts";

/** Imports a module by its URL. */
export type ImportModule = (url: string) => Promise<Record<string, unknown>>;

/** A callable that a config can name. */
export interface LoadedTarget {
  /** The class or function itself. */
  readonly found: object;
  readonly call: (args: readonly unknown[]) => unknown;
}

/** Where targets are resolved, and how they are imported. */
export interface TargetPlace {
  readonly projectRoot: string;
  readonly importModule: ImportModule;
  /** Packages that may be used although the project does not list them. */
  readonly allow?: readonly string[] | undefined;
  /** What a target has to be, for the message about another one. Default: a class or function. */
  readonly expected?: string | undefined;
}

/** Imports a `_target_`: a class is called with `new`, a function without. */
export async function loadTarget(target: string, place: TargetPlace): Promise<LoadedTarget> {
  const { url, exportPath } = locateTarget(target, place.projectRoot, place.allow);
  const module = await importOrExplain(url, place.importModule);
  let holder: unknown;
  let found: unknown = module;
  for (const name of exportPath) {
    // The module object may be anything that a custom importer returns.
    if (holder !== undefined) refuseGetter(found, name, url);
    holder = found;
    found = readExport(holder, name, url);
  }
  if (typeof found !== "function") {
    throw new BadTarget(
      // A text may be a key or a password: its value is not shown.
      `${exportPath.join(".")} is ${typeof found === "string" ? "a text" : describeKind(found)}, not ${place.expected ?? "a class or function"}`,
      `It is exported by ${url}.`,
    );
  }
  const callable = found;
  const self = exportPath.length > 1 ? holder : undefined;
  return {
    found: callable,
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

// The cause's hint becomes the hint and is not part of the reason.
function reasonOf(cause: unknown): string {
  return isMillraceError(cause) ? cause.reason.replace(/\.$/, "") : messageOf(cause);
}

function adviceOn(cause: unknown, url: string): string {
  if (isMillraceError(cause) && cause.hint !== undefined) return cause.hint;
  const [, missing] = /^Cannot find package '([^']+)'/.exec(messageOf(cause)) ?? [];
  if (missing !== undefined) return `Run npm install ${shellWord(missing)}.`;
  if (cause instanceof SyntaxError && /\.[cm]?js$/.test(url))
    return `node --check ${shellWord(relative(process.cwd(), fileURLToPath(url)))} shows the line, if it is one of this file.`;
  return "The module throws this error when it is loaded: fix it there.";
}

// Only exports and their static members, never inherited properties.
function readExport(holder: unknown, name: string, url: string): unknown {
  const isHolder = (typeof holder === "object" && holder !== null) || typeof holder === "function";
  if (isHolder && Object.hasOwn(holder, name)) return (holder as Record<string, unknown>)[name];
  const names = isHolder ? Object.getOwnPropertyNames(holder) : [];
  const near = nearestName(name, names);
  const known = names.length === 0 ? "It exports nothing." : `It exports ${names.slice(0, 20).join(", ")}.`;
  throw new BadTarget(`${url} has no export ${name}`, near === undefined ? known : `Did you mean ${near}? ${known}`);
}

// A getter is refused, because reading it would run code.
function refuseGetter(holder: unknown, name: string, url: string): void {
  if (Object.getOwnPropertyDescriptor(Object(holder), name)?.get === undefined) return;
  throw new BadTarget(`${name} is a getter`, `Write a function in ${url} that returns the same, and name that one.`);
}

function isClass(value: { toString(): string }): value is new (...args: unknown[]) => unknown {
  return /^class\b/.test(Function.prototype.toString.call(value));
}
