import { showPath } from "../config/config-node.ts";
import type { Shape } from "../config/shape.ts";
import { MillraceError } from "../shared/errors.ts";
import { describeKind, fromPlainValues, toPlainValues } from "../shared/state-json.ts";
import { isRunnerOption, type RunnerOptions } from "./runner-options.ts";

/** One option that a runner class adds to those of every runner. */
export interface OwnOption<T> {
  readonly shape: Shape<T>;
  /** In its place where it is left out. Without a default it must be given, unless its shape is optional. */
  readonly default?: T;
}

/** What a runner class declares in its static `ownOptions`: each of its own options, by the name it is given under. */
export type OwnOptions<Own extends object = Record<string, unknown>> = {
  readonly [Key in keyof Own]-?: OwnOption<Own[Key]>;
};

/** The options that a runner is given, apart: what every runner has, and what this class adds. */
export interface SplitOptions {
  readonly common: RunnerOptions;
  /** Checked, with defaults, and a copy: data that a worker can get. */
  readonly own: Record<string, unknown>;
}

/** Takes a class's own options out of what a runner was given, and checks them. */
export function splitOptions(
  { name, ownOptions = {} }: { readonly name: string; readonly ownOptions?: OwnOptions | undefined },
  options: object,
): SplitOptions {
  const own: Record<string, unknown> = {};
  for (const [key, declared] of Object.entries(ownOptions)) {
    if (isRunnerOption(key)) {
      throw new MillraceError("BAD_RUNNER", `${name}.ownOptions declares ${key}, which every runner has.`, {
        hint: "Give the option another name.",
      });
    }
    const value = ownValue(name, key, declared, (options as Readonly<Record<string, unknown>>)[key]);
    if (value !== undefined) own[key] = value;
  }
  const common = Object.fromEntries(Object.entries(options).filter(([key]) => !Object.hasOwn(ownOptions, key)));
  return { common, own };
}

function ownValue(runner: string, key: string, { shape, default: usual }: OwnOption<unknown>, given: unknown): unknown {
  const value = given === undefined ? usual : given;
  if (value === undefined && shape.isOptional) return undefined;
  if (value === undefined) {
    throw new MillraceError("BAD_OPTION", `${runner} needs the option ${key}: ${shape.expected}.`, {
      hint: `Pass it as new ${runner}(provider, { ${key}: … }), or under \`runner\` in the config.`,
    });
  }
  // Before its shape: that a function cannot go along says more than that it is not a text.
  const copy = fromPlainValues(toPlainValues(value, key, (odd, path) => refuse(runner, odd, path)));
  const [problem] = shape.check(copy, [key]);
  if (problem === undefined) return copy;
  throw new MillraceError("BAD_OPTION", `Option ${showPath(problem.path)} of ${runner} ${problem.message}.`, {
    hint:
      problem.hint ??
      `Pass it as it is expected in new ${runner}(provider, { ${key}: … }), or under \`runner\` in the config.`,
  });
}

function refuse(runner: string, value: unknown, path: string): never {
  throw new MillraceError(
    "BAD_OPTION",
    `Option ${path} of ${runner} is ${describeKind(value)}: workers get options as data.`,
    {
      hint: "Pass a name or a path, and make the object in a hook or in the provider; or override a static of the runner.",
    },
  );
}
