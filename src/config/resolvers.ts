import { MillraceError } from "../errors/errors.ts";
import { describeKind } from "../values/state-json.ts";

/** The arguments of a resolver as plain values; sections and lists are frozen. */
export type ResolverFunction = (...args: never[]) => unknown;

/** Options of {@link registerResolver}. */
export interface ResolverOptions {
  /** Caches the result for the same arguments within one config. Default: false. */
  readonly useCache?: boolean;
  /** Replaces a resolver of the same name. Default: false, which makes it an error. */
  readonly replace?: boolean;
}

export interface Resolver {
  readonly call: (...args: unknown[]) => unknown;
  readonly useCache: boolean;
}

// One table for the whole process, as in OmegaConf.
const registered = new Map<string, Resolver>();

/** Built-in names; see `built-in-resolvers.ts`. */
const builtInNames = [
  "oc.create",
  "oc.decode",
  "oc.deprecated",
  "oc.dict.keys",
  "oc.dict.values",
  "oc.env",
  "oc.select",
  "now",
] as const;

/** Built-in names that a program may take without `replace`: existing programs may have registered their own. */
const softNames = ["secret", "self_name", "config_path", "set_corpus_and_system", "load_line", "load_yaml"] as const;

/**
 * Registers a function for `${name:args}` in every config that is loaded afterwards. It must return a plain value
 * synchronously: string, number, boolean, null, or a list or section of them.
 */
export function registerResolver(name: string, resolve: ResolverFunction, options: ResolverOptions = {}): void {
  if (typeof name !== "string" || !/^[a-zA-Z_]\w*(?:\.[a-zA-Z_]\w*)*$/.test(name)) {
    throw new MillraceError("BAD_OPTION", `${describeKind(name)} cannot be the name of a resolver.`, {
      hint: "Use letters, digits and _, with dots in between: load_lines, my.paths.join.",
    });
  }
  if (typeof resolve !== "function") {
    throw new MillraceError("BAD_OPTION", `The resolver ${name} is ${describeKind(resolve)}, not a function.`, {
      hint: `Pass one: registerResolver(${JSON.stringify(name)}, (text) => text.toUpperCase()).`,
    });
  }
  const isTaken = registered.has(name) || builtInNames.some((known) => known === name);
  if (isTaken && options.replace !== true) {
    throw new MillraceError("BAD_OPTION", `There is a resolver ${name} already.`, {
      hint: "Choose another name, or pass { replace: true }.",
    });
  }
  registered.set(name, {
    call: resolve as (...args: unknown[]) => unknown,
    useCache: options.useCache ?? false,
  });
}

/** Removes a resolver of {@link registerResolver}. A built-in one that it replaced is restored. */
export function removeResolver(name: string): boolean {
  return registered.delete(name);
}

export function findResolver(name: string): Resolver | undefined {
  return registered.get(name);
}

export function resolverNames(): string[] {
  return [...new Set([...builtInNames, ...softNames, ...registered.keys()])];
}
