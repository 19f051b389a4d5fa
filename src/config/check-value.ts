import { MillraceError } from "../errors/errors.ts";
import { isThenable } from "../runtime/is-thenable.ts";
import type { Shape, ShapeProblem } from "./shape.ts";
import type { StandardIssue, StandardResult, StandardSchema } from "./standard-schema.ts";

/** A value as the schema gives it, or all that is wrong with it. */
export type Checked<T> = { readonly value: T } | { readonly problems: readonly [ShapeProblem, ...ShapeProblem[]] };

/** Whether it has the interface; schemas of some libraries are functions. */
export function isStandardSchema(schema: Shape<unknown> | StandardSchema): schema is StandardSchema {
  return "~standard" in schema;
}

/** Checks a value at a path, whatever the schema is. That of another library may give another value, with its defaults. */
export function checkValue<T>(
  value: unknown,
  schema: Shape<T> | StandardSchema<T>,
  path: readonly (string | number)[],
): Checked<T> {
  if (!isStandardSchema(schema)) {
    const [first, ...rest] = schema.check(value, path);
    return first === undefined ? { value: value as T } : { problems: [first, ...rest] };
  }
  const result = validate(value, schema);
  if (result.issues === undefined) return { value: result.value };
  const [first, ...rest] = result.issues.map((issue) => problemOf(issue, path));
  // Issues, but none of them: a schema of no library that is known, and nothing of it can be trusted.
  return { problems: [first ?? { path, message: "is not valid" }, ...rest] };
}

/** A schema of another library as a shape: for a check of which only the problems are wanted. */
export function toShape<T>(schema: Shape<T> | StandardSchema<T>): Shape<T> {
  if (!isStandardSchema(schema)) return schema;
  return {
    expected: `what the ${schema["~standard"].vendor} schema takes`,
    isOptional: validate(undefined, schema).issues === undefined,
    check: (value, path) => {
      const checked = checkValue(value, schema, path);
      return "problems" in checked ? [...checked.problems] : [];
    },
  };
}

function validate<T>(value: unknown, { "~standard": standard }: StandardSchema<T>): StandardResult<T> {
  const result = standard.validate(value);
  if (!isThenable(result)) return result;
  // Its result is not used, so an error of it must not end the process.
  result.then(undefined, () => {});
  throw new MillraceError(
    "BAD_OPTION",
    `A schema of ${standard.vendor} checks asynchronously; it must do so at once.`,
    {
      hint: "Leave out asynchronous checks and transforms: what has to wait for something belongs into the provider.",
    },
  );
}

function problemOf({ message, path = [] }: StandardIssue, before: readonly (string | number)[]): ShapeProblem {
  const keys = path.map((part) => (typeof part === "object" ? part.key : part));
  return {
    path: [...before, ...keys.map((key) => (typeof key === "symbol" ? String(key) : key))],
    message: `is not valid: ${message.replace(/\.$/, "")}`,
  };
}
