import { nearestName } from "../text/nearest-name.ts";
import { describeKind, isPlainObject } from "../values/state-json.ts";
import type { StandardSchema } from "./standard-schema.ts";

/** One mistake in a config. */
export interface ShapeProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly hint?: string;
}

type Path = readonly (string | number)[];

/** The required form of a value. Created by {@link shape}; `T` is the type of a valid value. */
export interface Shape<T> {
  /** In a message: "a whole number from 1". */
  readonly expected: string;
  readonly isOptional: boolean;
  readonly check: (value: unknown, path: Path) => ShapeProblem[];
  /** Never present: it only carries the type. */
  readonly type?: T;
}

/** The type of the values that have a shape, or that a schema of another library gives. */
export type ShapeValue<S> = S extends StandardSchema<infer T> ? T : S extends Shape<infer T> ? T : never;

type Shapes = Readonly<Record<string, Shape<unknown>>>;
type OptionalKeys<S extends Shapes> = { [K in keyof S]: undefined extends ShapeValue<S[K]> ? K : never }[keyof S];
type ObjectValue<S extends Shapes> = { readonly [K in Exclude<keyof S, OptionalKeys<S>>]: ShapeValue<S[K]> } & {
  readonly [K in OptionalKeys<S>]?: ShapeValue<S[K]>;
};

interface Range {
  readonly min?: number;
  readonly max?: number;
}

/** The available shapes. */
export interface ShapeMakers {
  /** Any string; `pattern` restricts it. */
  string(options?: { readonly pattern?: RegExp; readonly expected?: string }): Shape<string>;
  number(range?: Range): Shape<number>;
  /** A whole number. */
  int(range?: Range): Shape<number>;
  boolean(): Shape<boolean>;
  /** One of the given strings, numbers or booleans. */
  oneOf<const V extends string | number | boolean>(values: readonly V[]): Shape<V>;
  list<T>(item: Shape<T>, length?: Range): Shape<readonly T[]>;
  /** A section with arbitrary keys, whose values all have one shape. */
  map<T>(value: Shape<T>): Shape<Readonly<Record<string, T>>>;
  /** A section with these keys and no others, unless `others` gives the shape of the others. */
  object<S extends Shapes>(keys: S, options?: { readonly others?: Shape<unknown> }): Shape<ObjectValue<S>>;
  any(): Shape<unknown>;
  /** Any of several shapes. */
  union<S extends readonly Shape<unknown>[]>(...shapes: S): Shape<ShapeValue<S[number]>>;
  /** A key that may be left out. */
  optional<T>(shape: Shape<T>): Shape<T | undefined>;
  nullable<T>(shape: Shape<T>): Shape<T | null>;
}

const anything: Shape<unknown> = { expected: "anything", isOptional: false, check: () => [] };

/**
 * Creates shapes for {@link checkShape}: `shape.object({ n: shape.int({ min: 1 }), name: shape.optional(shape.string())
 * })`.
 */
export const shape: ShapeMakers = {
  string: ({ pattern, expected = pattern === undefined ? "a text" : `a text like ${pattern}` } = {}) =>
    simple(expected, (value) => typeof value === "string" && (pattern?.test(value) ?? true)),
  number: (range = {}) =>
    simple(
      `a number${showRange(range)}`,
      (value) => typeof value === "number" && !Number.isNaN(value) && isIn(value, range),
    ),
  int: (range = {}) =>
    simple(`a whole number${showRange(range)}`, (value) => Number.isSafeInteger(value) && isIn(value as number, range)),
  boolean: () => simple("true or false", (value) => typeof value === "boolean"),
  oneOf: (values) => ({
    ...simple(`one of ${values.join(", ")}`, (value) => values.some((known) => known === value)),
    check: (value, path) => (values.some((known) => known === value) ? [] : [notOneOf(value, values, path)]),
  }),
  list: (item, length = {}) => ({
    expected: `a list${showRange(length, "of ")}`,
    isOptional: false,
    check(value, path) {
      if (!Array.isArray(value) || !isIn(value.length, length)) return [unexpected(value, this.expected, path)];
      return value.flatMap((entry, i) => item.check(entry, [...path, i]));
    },
  }),
  map: (inner) => ({
    expected: "a section",
    isOptional: false,
    check(value, path) {
      if (!isPlainObject(value)) return [unexpected(value, this.expected, path)];
      return Object.entries(value).flatMap(([key, entry]) => inner.check(entry, [...path, key]));
    },
  }),
  object: (keys, { others } = {}) => ({
    expected: "a section",
    isOptional: false,
    check(value, path) {
      return isPlainObject(value) ? checkKeys(value, keys, others, path) : [unexpected(value, this.expected, path)];
    },
  }),
  any: () => anything,
  union: (...shapes) => ({
    expected: shapes.map(({ expected }) => expected).join(" or "),
    isOptional: false,
    check(value, path) {
      const tries = shapes.map((candidate) => candidate.check(value, path));
      if (tries.some((problems) => problems.length === 0)) return [];
      // If a section matches one of them except for something inside, report that.
      const inside = tries.filter((problems) => problems.some((problem) => problem.path.length > path.length));
      return inside.length === 1 ? inside[0]! : [unexpected(value, this.expected, path)];
    },
  }),
  optional: (inner) => ({
    expected: inner.expected,
    isOptional: true,
    check: (value, path) => (value === undefined ? [] : inner.check(value, path)),
  }),
  nullable: (inner) => ({
    expected: `${inner.expected} or null`,
    isOptional: inner.isOptional,
    check(value, path) {
      if (value === null) return [];
      return inner
        .check(value, path)
        .map((problem) => (isInner(problem, path) ? problem : unexpected(value, this.expected, path)));
    },
  }),
};

// A problem inside the value, or one that says more than "not one of these".
function isInner({ path: where, hint }: ShapeProblem, path: Path): boolean {
  return where.length > path.length || hint !== undefined;
}

function simple<T>(expected: string, isRight: (value: unknown) => boolean): Shape<T> {
  return {
    expected,
    isOptional: false,
    check: (value, path) => (isRight(value) ? [] : [unexpected(value, expected, path)]),
  };
}

function checkKeys(
  value: Readonly<Record<string, unknown>>,
  keys: Shapes,
  others: Shape<unknown> | undefined,
  path: Path,
) {
  const problems: ShapeProblem[] = [];
  for (const key of Object.keys(value)) {
    const known = Object.hasOwn(keys, key) ? keys[key] : others;
    // Not read: it may be a value that could not be resolved, and that no code needs.
    if (known === anything) continue;
    if (known !== undefined) problems.push(...known.check(value[key], [...path, key]));
    else problems.push(unknownKey(key, Object.keys(keys), path));
  }
  for (const [key, { isOptional, expected }] of Object.entries(keys)) {
    if (isOptional || Object.hasOwn(value, key)) continue;
    // If any other key is allowed, only this check finds a misspelt one.
    const free = others === undefined ? [] : Object.keys(value).filter((name) => !Object.hasOwn(keys, name));
    const near = nearestName(key, free);
    const problem = { path: [...path, key], message: `is missing; ${expected} was expected` };
    problems.push(near === undefined ? problem : { ...problem, hint: `There is ${near}: is it meant to be ${key}?` });
  }
  return problems;
}

function unknownKey(key: string, known: readonly string[], path: Path): ShapeProblem {
  const near = nearestName(key, known);
  const guess = near === undefined ? "" : `Did you mean ${near}? `;
  return { path: [...path, key], message: "is not known", hint: `${guess}Valid: ${known.join(", ")}.` };
}

function notOneOf(value: unknown, values: readonly unknown[], path: Path): ShapeProblem {
  const near = typeof value === "string" ? nearestName(value, values.map(String)) : undefined;
  const problem = unexpected(value, `one of ${values.join(", ")}`, path);
  return near === undefined ? problem : { ...problem, hint: `Did you mean ${near}?` };
}

function unexpected(value: unknown, expected: string, path: Path): ShapeProblem {
  const message = `is ${describeKind(value)}; ${expected} was expected`;
  const looksLikeNumber =
    typeof value === "string" && /number/.test(expected) && value.trim() !== "" && !Number.isNaN(Number(value));
  return looksLikeNumber ? { path, message, hint: "It is a text: remove the quotes." } : { path, message };
}

function isIn(value: number, { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: Range): boolean {
  return value >= min && value <= max;
}

function showRange({ min, max }: Range, before = ""): string {
  if (min !== undefined && max !== undefined) return ` ${before}${before === "" ? "from " : ""}${min} to ${max}`;
  if (min !== undefined) return before === "" ? ` from ${min}` : ` ${before}at least ${min}`;
  return max === undefined ? "" : ` ${before}at most ${max}`;
}
