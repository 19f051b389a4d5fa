import type { BaseRunner } from "./base-runner.ts";
import type { EnvironmentProvider } from "./environment-provider.ts";
import type { OfSubclass } from "./runner-hooks.ts";

// A registered symbol, because a script and its worker may have loaded two copies of this package.
export const definitionMark: unique symbol = Symbol.for("millrace.definition") as never;

/** The property by which a worker finds a definition among the exports of a module. */
export interface DefinitionMark {
  /** Its position among the definitions of its module, from 0. */
  readonly position: number;
  readonly Provider: new (config: unknown, params: object) => EnvironmentProvider<object>;
  readonly Runner: new (...args: OfSubclass[]) => BaseRunner<object, unknown, object, OfSubclass>;
}

/** The definition in an export; undefined if it is none. */
export function definitionIn(exported: unknown): DefinitionMark | undefined {
  if (typeof exported !== "object" || exported === null) return undefined;
  return (exported as { readonly [definitionMark]?: DefinitionMark })[definitionMark];
}
