import { checkValue, isStandardSchema, toShape } from "../config/check-value.ts";
import { showPath } from "../config/config-node.ts";
import type { Shape } from "../config/shape.ts";
import type { StandardSchema } from "../config/standard-schema.ts";
import { MillraceError } from "../errors/errors.ts";
import { copyOrigins } from "../secrets/origins.ts";
import { describeKind, fromPlainValues, toPlainValues } from "../values/state-json.ts";
import { callContextNames } from "./call-context.ts";
import { type GivenOptions, isRunnerOption } from "./runner-options.ts";
import type { ClassStatics } from "./runner-traits.ts";

/** One option that a runner class adds to those of every runner. */
export interface OwnOption<T> {
  /** What the value has to look like: a shape, or a schema of zod, valibot, arktype or another Standard Schema library. */
  readonly shape: Shape<T> | StandardSchema<T>;
  /** The value where it is left out. Without a default it must be given, unless its shape is optional. */
  readonly default?: T;
}

/** What a runner class declares in its static `ownOptions`: each of its own options, by the name it is given under. */
export type OwnOptions<Own extends object = Record<string, unknown>> = {
  readonly [Key in keyof Own]-?: OwnOption<Own[Key]>;
};

/** The options that a runner is given, apart: what every runner has, and what this class adds. */
export interface SplitOptions {
  readonly common: GivenOptions;
  /** Checked, with defaults, and a copy: data that a worker can get. */
  readonly own: Record<string, unknown>;
}

/** Takes a class's own options out of what a runner was given, and checks them. */
export function splitOptions(
  { name, ownOptions = {}, definition }: ClassStatics & { readonly ownOptions?: OwnOptions | undefined },
  options: object,
): SplitOptions {
  const own: Record<string, unknown> = {};
  for (const [key, declared] of Object.entries(ownOptions)) {
    if (isRunnerOption(key)) {
      throw new MillraceError("BAD_RUNNER", `${name}.ownOptions declares ${key}, which every runner has.`, {
        hint: "Give the option another name.",
      });
    }
    // In a definition they are apart: `context.options`.
    if (definition === undefined && callContextNames.some((taken) => taken === key)) {
      throw new MillraceError("BAD_RUNNER", `${name}.ownOptions declares ${key}, which forward gets about its call.`, {
        hint: "Give the option another name: forward gets both in one object.",
      });
    }
    const value = ownValue(name, key, declared, (options as Readonly<Record<string, unknown>>)[key]);
    if (value !== undefined) own[key] = value;
  }
  copyOrigins(options, own);
  const common = Object.fromEntries(Object.entries(options).filter(([key]) => !Object.hasOwn(ownOptions, key)));
  return { common, own };
}

function ownValue(runner: string, key: string, declared: OwnOption<unknown>, given: unknown): unknown {
  const value = given === undefined ? declared.default : given;
  const shape = toShape(declared.shape);
  const toPlain = (data: unknown) => toPlainValues(data, key, (odd, path) => refuse(runner, odd, path));
  const place = { runner, key, toPlain };
  if (value === undefined && shape.isOptional) return optionOutput(declared.shape, undefined, place);
  if (value === undefined) {
    throw new MillraceError("BAD_OPTION", `${runner} needs the option ${key}: ${shape.expected}.`, {
      hint: `Pass it as new ${runner}(provider, { ${key}: … }), or under \`runner\` in the config.`,
    });
  }
  // Before its shape: that a function cannot go along says more than that it is not a text.
  const copy = fromPlainValues(toPlain(value));
  const [problem] = shape.check(copy, [key]);
  if (problem === undefined) return optionOutput(declared.shape, copy, place);
  throw new MillraceError("BAD_OPTION", `Option ${showPath(problem.path)} of ${runner} ${problem.message}.`, {
    hint:
      problem.hint ??
      `Pass it as it is expected in new ${runner}(provider, { ${key}: … }), or under \`runner\` in the config.`,
  });
}

/** Whose option it is, and how it becomes plain values for a worker; what cannot is an error. */
interface OptionPlace {
  readonly runner: string;
  readonly key: string;
  readonly toPlain: (value: unknown) => unknown;
}

/**
 * What a checked option becomes: itself, or what a schema of another library makes of it. Workers make the runner again of
 * the result, so a schema that would refuse or change it a second time is an error here.
 */
function optionOutput(
  schema: Shape<unknown> | StandardSchema,
  value: unknown,
  { runner, key, toPlain }: OptionPlace,
): unknown {
  if (!isStandardSchema(schema)) return value;
  const output = outputOf(schema, value, key);
  if (output === undefined) return undefined;
  const plain = toPlain(output);
  const again = outputOf(schema, fromPlainValues(plain), key);
  if (JSON.stringify(plain) === JSON.stringify(toPlain(again))) return fromPlainValues(plain);
  throw new MillraceError("BAD_RUNNER", `The schema of option ${key} of ${runner} does not take its own result.`, {
    hint: "Workers check options again. Leave out the transform, and change the value where it is used.",
  });
}

/** Undefined also where it is refused: its problems were reported the first time. */
function outputOf(schema: StandardSchema, value: unknown, key: string): unknown {
  const checked = checkValue(value, schema, [key]);
  return "value" in checked ? checked.value : undefined;
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
