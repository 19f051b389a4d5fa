import { MillraceError } from "../shared/errors.ts";
import { describeKind } from "../shared/state-json.ts";

/** What a resolver gets: the arguments as plain values, sections and lists frozen. */
export type ResolverFunction = (...args: never[]) => unknown;

/** How a resolver of your own is registered. */
export interface ResolverOptions {
  /** The same arguments give the same value within one config, without a second call. Default: false. */
  readonly useCache?: boolean;
  /** Takes the place of a resolver of that name. Default: false, which makes it an error. */
  readonly replace?: boolean;
}

export interface Resolver {
  readonly call: (...args: unknown[]) => unknown;
  readonly useCache: boolean;
}

// One table for the whole process, as in OmegaConf.
const registered = new Map<string, Resolver>();

/** Names that are built in; see `built-in-resolvers.ts`. */
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

/**
 * Makes `${name:args}` call a function in every config that is loaded from now on. It answers at once (no promise) with
 * a plain value: text, number, boolean, null, or a list or section of them.
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

/** Forgets a resolver that {@link registerResolver} made; a built-in one that it replaced is back. */
export function removeResolver(name: string): boolean {
  return registered.delete(name);
}

export function findResolver(name: string): Resolver | undefined {
  return registered.get(name);
}

export function resolverNames(): string[] {
  return [...new Set([...builtInNames, ...registered.keys()])];
}
