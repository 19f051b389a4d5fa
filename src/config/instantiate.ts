import { MillraceError, messageOf } from "../errors/errors.ts";
import { importModule } from "../runtime/import-module.ts";
import { nearestName } from "../text/nearest-name.ts";
import { describeKind, isPlainObject } from "../values/state-json.ts";
import { BadTarget, targetForms } from "./bad-target.ts";
import { showPosition } from "./config-error.ts";
import { type SourcePosition, showPath } from "./config-node.ts";
import { type ImportModule, type LoadedTarget, loadTarget, type TargetPlace } from "./load-target.ts";
import { positionOf, positionOfChild, rememberPositions } from "./position-of.ts";
import { projectOf } from "./project-of.ts";

/** Options of {@link instantiate}. */
export interface InstantiateOptions {
  /**
   * The folder that targets are resolved against. Default: the folder of the package.json at or above the config's
   * file.
   */
  readonly projectRoot?: string;
  /** How a module is imported. Default: `import(url)`, with tsx for TypeScript if Node.js cannot load it. */
  readonly importModule?: ImportModule;
  /** Packages that may be used although the project's package.json does not list them. Default: none. */
  readonly allow?: readonly string[];
  /** Replaces the `_args_` of the node. */
  readonly args?: readonly unknown[];
  /** Overrides keys of the node. The values are passed unchanged. */
  readonly values?: Readonly<Record<string, unknown>>;
}

type Section = Readonly<Record<string, unknown>>;

/** Settings that a node inherits from its parent. */
interface Inherited {
  readonly isRecursive: boolean;
  readonly isMutable: boolean;
}

const flags = ["_target_", "_args_", "_recursive_", "_convert_", "_partial_"] as const;
const conversions = ["none", "partial", "object", "all"];

/**
 * Creates the objects that a config describes with `_target_`, innermost first. A class is called with `new`, a
 * function without, with the other keys as one object; `_args_` come before it. `_partial_: true` returns a function
 * that takes more keys. A node without `_target_` is returned with its children instantiated.
 */
export async function instantiate<T = unknown>(node: unknown, options: InstantiateOptions = {}): Promise<T> {
  if (node === null || node === undefined) return null as T;
  if (!Array.isArray(node) && !isPlainObject(node)) {
    throw new MillraceError(
      "BAD_TARGET",
      `instantiate got ${describeKind(node)}; a section of a config was expected.`,
      {
        hint: "Hand it a config, or a part of one, as loadConfig returns it: await instantiate(config.model).",
      },
    );
  }
  requireNames(options.allow);
  const maker = new Maker({
    projectRoot: options.projectRoot ?? rootOf(node),
    importModule: options.importModule ?? importModule,
    allow: options.allow,
  });
  const given = { args: options.args, values: options.values };
  return (await maker.make(node, [], { isRecursive: true, isMutable: false }, given)) as T;
}

/**
 * The class or function that the `_target_` of a section names, with errors that name its position. The other keys of
 * the section are left alone.
 */
export async function loadSection(node: Section, place: TargetPlace): Promise<LoadedTarget> {
  const at: Place = { node, path: [] };
  const target = await load(at, place);
  return { found: target.found, call: (args) => callTarget(target, args, at) };
}

// A string has `includes` too, and would allow every package whose name is a substring.
function requireNames(allow: unknown): void {
  if (allow === undefined || Array.isArray(allow)) return;
  throw new MillraceError("BAD_OPTION", `allow is ${describeKind(allow)}; a list of packages was expected.`, {
    hint: 'Write for instance { allow: ["@scope/package"] }.',
  });
}

function rootOf(node: object): string {
  const root = projectOf(node);
  if (root !== undefined) return root;
  throw new MillraceError(
    "BAD_OPTION",
    "instantiate does not know the project of a config that was not loaded from a file.",
    {
      hint: "Pass { projectRoot }.",
    },
  );
}

class Maker {
  readonly #place: TargetPlace;

  constructor(place: TargetPlace) {
    this.#place = place;
  }

  async make(
    node: unknown,
    path: readonly (string | number)[],
    inherited: Inherited,
    given: { args?: readonly unknown[] | undefined; values?: Section | undefined } = {},
  ): Promise<unknown> {
    if (Array.isArray(node)) {
      const items: unknown[] = [];
      for (const [i, item] of node.entries()) items.push(await this.make(item, [...path, i], inherited));
      return this.#finish(node, items, inherited);
    }
    if (!isPlainObject(node)) return node;
    const at: Place = { node, path };
    refuseMisspelt(at);
    const mode = {
      isRecursive: readFlag(at, "_recursive_", inherited.isRecursive),
      isMutable: readConvert(at, inherited),
    };
    if (!Object.hasOwn(node, "_target_")) {
      const made = await this.#makeEntries(node, path, mode, Object.keys(node));
      return this.#finish(node, made, mode);
    }
    const target = await load(at, this.#place);
    const keys = Object.keys(node).filter((key) => !flags.some((flag) => flag === key));
    const values: Record<string, unknown> = { ...(await this.#makeEntries(node, path, mode, keys)), ...given.values };
    const args = given.args ?? (await this.#makeArgs(at, mode));
    const settings = mode.isMutable ? values : keepPlaces(node, values);
    const call = (more: readonly unknown[] = [], extra: Section = {}) => {
      const all = Object.keys(extra).length === 0 ? settings : { ...settings, ...extra };
      const positional = [...(args ?? []), ...more];
      const hasObject = positional.length === 0 || Object.keys(all).length > 0;
      return callTarget(target, hasObject ? [...positional, all] : positional, at);
    };
    return readFlag(at, "_partial_", false) ? makePartial(call) : await call();
  }

  async #makeEntries(node: Section, path: readonly (string | number)[], mode: Inherited, keys: readonly string[]) {
    const entries: [string, unknown][] = [];
    for (const key of keys) entries.push([key, await this.#makeInner(node[key], [...path, key], mode)]);
    return Object.fromEntries(entries);
  }

  async #makeArgs(at: Place, mode: Inherited): Promise<unknown[] | undefined> {
    const args = at.node["_args_"];
    if (args === undefined) return undefined;
    if (!Array.isArray(args))
      throw targetError(at, "_args_", `_args_ is ${describeKind(args)}; a list was expected.`, {
        hint: "Write the positional arguments in [ ]: _args_: [16000]; named ones are keys beside _target_.",
      });
    const made: unknown[] = [];
    for (const [i, arg] of args.entries()) made.push(await this.#makeInner(arg, [...at.path, "_args_", i], mode));
    return made;
  }

  #makeInner(value: unknown, path: readonly (string | number)[], mode: Inherited): unknown {
    if (mode.isRecursive) return this.make(value, path, mode);
    return mode.isMutable ? copyPlain(value) : value;
  }

  /** Unchanged parts stay frozen parts of the config, unless `_convert_` asks for mutable copies. */
  #finish<N extends object>(node: N, made: N, { isMutable }: Inherited): N {
    if (isMutable) return made;
    const isSame = Object.keys(made).every((key) => Object.is(made[key as keyof N], node[key as keyof N]));
    return isSame ? node : keepPlaces(node, made);
  }
}

async function load(at: Place, place: TargetPlace): Promise<LoadedTarget> {
  const target = at.node["_target_"];
  if (typeof target !== "string") {
    throw targetError(
      at,
      "_target_",
      `_target_ is ${describeKind(target)}; a text like ./file.ts#Export was expected.`,
      {
        hint: targetForms,
      },
    );
  }
  try {
    return await loadTarget(target, place);
  } catch (error) {
    if (!(error instanceof BadTarget)) throw error;
    throw targetError(at, "_target_", `The target ${JSON.stringify(target)} cannot be used: ${messageOf(error)}.`, {
      hint: error.hint,
      cause: error.cause,
    });
  }
}

function copyPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyPlain);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, copyPlain(entry)]));
}

async function callTarget(target: LoadedTarget, args: readonly unknown[], at: Place): Promise<unknown> {
  try {
    return await target.call(args);
  } catch (cause) {
    if (cause instanceof MillraceError) throw cause;
    throw targetError(
      at,
      "_target_",
      `The target ${JSON.stringify(at.node["_target_"])} failed: ${messageOf(cause)}.`,
      { cause, hint: "The target itself threw this error: check the keys beside _target_, which are its arguments." },
    );
  }
}

/** Additional keys are passed as a last plain object, after positional arguments. */
function makePartial(call: (more: readonly unknown[], extra: Section) => Promise<unknown>) {
  return (...more: readonly unknown[]): Promise<unknown> => {
    const last = more.at(-1);
    return isPlainObject(last) ? call(more.slice(0, -1), last) : call(more, {});
  };
}

interface Place {
  readonly node: Section;
  readonly path: readonly (string | number)[];
}

function readFlag(at: Place, key: "_recursive_" | "_partial_", byDefault: boolean): boolean {
  const value = at.node[key] ?? byDefault;
  if (typeof value !== "boolean")
    throw targetError(at, key, `${key} is ${describeKind(value)}; true or false was expected.`, {
      hint: `Write ${key}: true, without quotes, or leave the key out.`,
    });
  return value;
}

function readConvert(at: Place, { isMutable }: Inherited): boolean {
  const value = at.node["_convert_"];
  if (value === undefined) return isMutable;
  if (typeof value !== "string" || !conversions.includes(value)) {
    throw targetError(
      at,
      "_convert_",
      `_convert_ is ${describeKind(value)}; one of ${conversions.join(", ")} was expected.`,
      { hint: "none keeps sections frozen, the others pass copies that may be changed; or leave it out." },
    );
  }
  return value !== "none";
}

function refuseMisspelt(at: Place): void {
  for (const key of Object.keys(at.node)) {
    if (!/^_\w+_$/.test(key) || flags.some((flag) => flag === key)) continue;
    const near = nearestName(key, flags);
    if (near !== undefined) throw targetError(at, key, `${key} is not known.`, { hint: `Did you mean ${near}?` });
  }
}

function keepPlaces<N extends object>(from: object, made: N): N {
  const position = positionOf(from);
  if (position !== undefined) {
    const children = Object.keys(made).map(
      (key) =>
        [
          Array.isArray(made) ? Number(key) : key,
          positionOfChild(from, Array.isArray(made) ? Number(key) : key),
        ] as const,
    );
    rememberPositions(
      made,
      position,
      new Map(children.filter((child): child is [string | number, SourcePosition] => child[1] !== undefined)),
    );
  }
  return Object.freeze(made);
}

function targetError(
  at: Place,
  key: string,
  message: string,
  details: { hint: string; cause?: unknown },
): MillraceError {
  const position = positionOfChild(at.node, key) ?? positionOf(at.node);
  const place = position === undefined ? showPath(at.path) || "the config" : showPosition(position);
  return new MillraceError("BAD_TARGET", `${place}: ${message}`, details);
}
