import { MillraceError, messageOf } from "../shared/errors.ts";
import { importModule } from "../shared/import-module.ts";
import { nearestName } from "../shared/nearest-name.ts";
import { describeKind, isPlainObject } from "../shared/state-json.ts";
import { showPosition } from "./config-error.ts";
import { type SourcePosition, showPath } from "./config-node.ts";
import { type ImportModule, type LoadedTarget, loadTarget } from "./load-target.ts";
import { BadTarget, targetForms } from "./locate-target.ts";
import { positionOf, positionOfChild, rememberPositions } from "./position-of.ts";
import { projectOf } from "./project-of.ts";

/** Where `instantiate` looks for targets, how it imports them, and what it hands them beside the config. */
export interface InstantiateOptions {
  /** Where targets are looked for. Default: the folder of the package.json at or above the config's file. */
  readonly projectRoot?: string;
  /** How a module is imported. Default: `import(url)`, with tsx for TypeScript where Node.js cannot load it by itself. */
  readonly importModule?: ImportModule;
  /** In the place of the node's own `_args_`. */
  readonly args?: readonly unknown[];
  /** Over the node's own keys. They are handed on as they are. */
  readonly values?: Readonly<Record<string, unknown>>;
}

type Section = Readonly<Record<string, unknown>>;

/** What a node inherits from the one it stands in. */
interface Inherited {
  readonly isRecursive: boolean;
  readonly isMutable: boolean;
}

const flags = ["_target_", "_args_", "_recursive_", "_convert_", "_partial_"] as const;
const conversions = ["none", "partial", "object", "all"];

/**
 * Makes what a config describes with `_target_`, innermost first. A class is made with `new`, a function called, with the
 * other keys as one object; `_args_` come before it. `_partial_: true` gives a function that waits for more keys.
 * A node without `_target_` is the same node with what stands in it made.
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
  const maker = new Maker(options.projectRoot ?? rootOf(node), options.importModule ?? importModule);
  const own = { args: options.args, values: options.values };
  return (await maker.make(node, [], { isRecursive: true, isMutable: false }, own)) as T;
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
  readonly #projectRoot: string;
  readonly #importModule: ImportModule;

  constructor(projectRoot: string, importModule: ImportModule) {
    this.#projectRoot = projectRoot;
    this.#importModule = importModule;
  }

  async make(
    node: unknown,
    path: readonly (string | number)[],
    inherited: Inherited,
    own: { args?: readonly unknown[] | undefined; values?: Section | undefined } = {},
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
    const target = await this.#load(at);
    const keys = Object.keys(node).filter((key) => !flags.some((flag) => flag === key));
    const values: Record<string, unknown> = { ...(await this.#makeEntries(node, path, mode, keys)), ...own.values };
    const args = own.args ?? (await this.#makeArgs(at, mode));
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

  /** Unchanged parts stay the frozen ones of the config, unless `_convert_` asks for some that can be changed. */
  #finish<N extends object>(node: N, made: N, { isMutable }: Inherited): N {
    if (isMutable) return made;
    const isSame = Object.keys(made).every((key) => Object.is(made[key as keyof N], node[key as keyof N]));
    return isSame ? node : keepPlaces(node, made);
  }

  async #load(at: Place): Promise<LoadedTarget> {
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
      return await loadTarget(target, this.#projectRoot, this.#importModule);
    } catch (error) {
      if (!(error instanceof BadTarget)) throw error;
      throw targetError(at, "_target_", `The target ${JSON.stringify(target)} cannot be used: ${messageOf(error)}.`, {
        hint: error.hint,
        cause: error.cause,
      });
    }
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
      { cause, hint: "The error is its own: check the keys beside _target_, which it is made with." },
    );
  }
}

/** More keys come as a last plain object, positional arguments before it. */
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
      { hint: "none keeps sections frozen, the others hand over copies that may be changed; or leave it out." },
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
  const own = positionOf(from);
  if (own !== undefined) {
    const children = Object.keys(made).map(
      (key) =>
        [
          Array.isArray(made) ? Number(key) : key,
          positionOfChild(from, Array.isArray(made) ? Number(key) : key),
        ] as const,
    );
    rememberPositions(
      made,
      own,
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
