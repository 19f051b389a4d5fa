import { checkValue, isStandardSchema, toShape } from "../config/check-value.ts";
import { showPath } from "../config/config-node.ts";
import type { Shape } from "../config/shape.ts";
import type { StandardSchema } from "../config/standard-schema.ts";
import { MillraceError } from "../errors/errors.ts";
import { copyOrigins } from "../secrets/origins.ts";
import { describeKind, fromPlainValues, toPlainValues } from "../values/state-json.ts";
import { callContextNames } from "./call-context.ts";
import { type GivenOptions, isRunnerOption } from "./runner-options.ts";

/** One own option of a runner class. */
export interface OwnOption<T> {
  /** What values are valid: a shape, or a schema of zod, valibot, arktype or another Standard Schema library. */
  readonly shape: Shape<T> | StandardSchema<T>;
  /** The value if the option is left out. Without a default the option is required, unless its shape is optional. */
  readonly default?: T;
}

/** The static `ownOptions` of a runner class: its own options, by name. */
export type OwnOptions<Own extends object = Record<string, unknown>> = {
  readonly [Key in keyof Own]-?: OwnOption<Own[Key]>;
};

/** The options passed to a runner, separated: options of every runner, and own options of this class. */
export interface SplitOptions {
  readonly common: GivenOptions;
  /** Checked copies, with defaults. They are plain data, so that a worker can get them. */
  readonly own: Record<string, unknown>;
}

interface OptionsOwner {
  readonly name: string;
  readonly ownOptions?: OwnOptions | undefined;
  /** Set if `defineRun` has made the class. */
  readonly definition?: number | undefined;
}

/** Separates the own options of a class from the others, and checks them. */
export function splitOptions({ name, ownOptions = {}, definition }: OptionsOwner, options: object): SplitOptions {
  const own: Record<string, unknown> = {};
  for (const [key, declared] of Object.entries(ownOptions)) {
    if (isRunnerOption(key)) {
      throw new MillraceError("BAD_RUNNER", `${name}.ownOptions declares ${key}, which every runner has.`, {
        hint: "Give the option another name.",
      });
    }
    // In a definition own options are in `context.options`, so their names cannot collide.
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
  // Encoded before the shape is checked: "workers get options as data" helps more than "is not a text".
  const copy = fromPlainValues(toPlain(value));
  const [problem] = shape.check(copy, [key]);
  if (problem === undefined) return optionOutput(declared.shape, copy, place);
  throw new MillraceError("BAD_OPTION", `Option ${showPath(problem.path)} of ${runner} ${problem.message}.`, {
    hint:
      problem.hint ??
      `Pass a valid value in new ${runner}(provider, { ${key}: … }), or under \`runner\` in the config.`,
  });
}

/** The runner and name of an option, and the function that makes it plain data for a worker. */
interface OptionPlace {
  readonly runner: string;
  readonly key: string;
  readonly toPlain: (value: unknown) => unknown;
}

/**
 * The value of a checked option: unchanged, or as the schema of another library transforms it. Workers pass the result
 * through the schema again, so a schema that refuses or changes its own result is an error.
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

/** The output of a schema; undefined if it refuses the value. Its problems were reported the first time. */
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
