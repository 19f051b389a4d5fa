import { MillraceError } from "../errors/errors.ts";
import { nearestName } from "../text/nearest-name.ts";
import { describeKind } from "../values/state-json.ts";
import type { ModuleMeta } from "./define-runner.ts";
import type { OptionDeclarations, RunDefinition } from "./run-definition.ts";
import { isRunnerOption, runnerOptionNames } from "./runner-options.ts";

type DefinitionKey = keyof RunDefinition<
  object,
  unknown,
  unknown,
  object,
  undefined,
  unknown,
  object,
  object,
  unknown,
  OptionDeclarations
>;

/**
 * Checks the names of the options. The most frequent mistake is that an argument of `env` is passed beside `config`
 * instead of in it.
 */
export function checkStart(start: object, options: OptionDeclarations = {}): void {
  const names = ["config", "params", ...Object.keys(options)];
  const unknown = Object.keys(start).find((key) => !names.includes(key) && !isRunnerOption(key));
  if (unknown === undefined) return;
  const near = nearestName(unknown, [...names, ...runnerOptionNames]);
  throw new MillraceError("BAD_OPTION", `Option ${JSON.stringify(unknown)} is not known.`, {
    hint:
      near === undefined
        ? `The argument of \`env\` is config: run(items, { config: { ${unknown}: … } }).`
        : `Did you mean ${near}? The argument of \`env\` is config: run(items, { config: { … } }).`,
  });
}

/** The keys of a definition. */
const keys: Record<DefinitionKey, "function" | "any"> = {
  env: "function",
  forward: "function",
  prefetch: "function",
  retryIf: "function",
  cost: "function",
  writers: "function",
  state: "function",
  write: "function",
  finish: "function",
  merge: "function",
  teardown: "function",
  options: "any",
  batch: "any",
  concurrency: "any",
  version: "any",
};

export function checkDefinition(meta: unknown, definition: object): void {
  if (typeof (meta as ModuleMeta | undefined)?.url !== "string") {
    throw new MillraceError("BAD_OPTION", `defineRun got ${describeKind(meta)} as its first argument.`, {
      hint: "Pass import.meta: defineRun(import.meta, { env, forward }).",
    });
  }
  for (const [key, value] of Object.entries(definition ?? {})) {
    const kind = Object.hasOwn(keys, key) ? keys[key as DefinitionKey] : undefined;
    if (kind === undefined) {
      const near = nearestName(key, Object.keys(keys));
      throw new MillraceError("BAD_RUNNER", `A run has no ${JSON.stringify(key)}.`, {
        hint: near === undefined ? `Known: ${Object.keys(keys).join(", ")}.` : `Did you mean ${near}?`,
      });
    }
    if (kind === "function" && value !== undefined && typeof value !== "function") {
      throw new MillraceError("BAD_RUNNER", `${key} of a run is ${describeKind(value)}.`, {
        hint: `Write ${key} as a function.`,
      });
    }
  }
  const missing = (["env", "forward"] as const).find(
    (key) => (definition as Partial<Record<DefinitionKey, unknown>> | undefined)?.[key] === undefined,
  );
  if (missing === undefined) return;
  throw new MillraceError("BAD_RUNNER", `A run needs ${missing}.`, {
    hint: "defineRun(import.meta, { env: (config) => ({ … }), forward: (idx, env) => … }).",
  });
}
