import { MillraceError } from "../errors/errors.ts";
import { toCamelCase } from "../text/letter-case.ts";
import { nearestName } from "../text/nearest-name.ts";
import { describeKind } from "../values/state-json.ts";

/** The valid values of one option, and its default. */
interface Rule<T> {
  readonly fallback: T;
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

type Rules = Readonly<Record<string, Rule<unknown>>>;
type Checked<R extends Rules> = { readonly [K in keyof R]: R[K] extends Rule<infer T> ? T : never };

interface Range {
  readonly min?: number;
  readonly max?: number;
  /** Exclusive lower bound, for ranges that do not include `min`. */
  readonly above?: number;
}

/** A finite number. */
export function number(fallback: number, range: Range = {}): Rule<number> {
  return { fallback, expected: `a number${describeRange(range)}`, accepts: (value) => isWithin(value, range) };
}

/** A whole number. */
export function whole(fallback: number, range: Range = {}): Rule<number> {
  return {
    fallback,
    expected: `a whole number${describeRange(range)}`,
    accepts: (value) => Number.isSafeInteger(value) && isWithin(value, range),
  };
}

export function flag(fallback: boolean): Rule<boolean> {
  return { fallback, expected: "true or false", accepts: (value) => typeof value === "boolean" };
}

export function oneOf<const V extends string | number>(values: readonly V[], fallback: V): Rule<V> {
  return {
    fallback,
    expected: values
      .map((value) => JSON.stringify(value))
      .join(", ")
      .replace(/, ([^,]*)$/, " or $1"),
    accepts: (value) => values.includes(value as V),
  };
}

/** An option that may be null, which switches the feature off. Null is also the default unless another one is given. */
export function orNull<T>(rule: Rule<T>, fallback: T | null = null): Rule<T | null> {
  return {
    fallback,
    expected: `${rule.expected}, or null`,
    accepts: (value) => value === null || rule.accepts(value),
  };
}

/**
 * Checks the options and adds defaults. Keys may be written as the toolkits write them (`num_mel_bins`,
 * `num-mel-bins`), so that a section of a recipe's YAML can be passed unchanged.
 */
export function checkFeatureOptions<R extends Rules>(what: string, options: object, rules: R): Checked<R> {
  const given = new Map<string, unknown>();
  for (const [key, value] of Object.entries(options)) {
    const name = toOptionName(key);
    if (!Object.hasOwn(rules, name)) throw unknownOption(what, key, Object.keys(rules));
    if (given.has(name))
      throw new MillraceError("BAD_OPTION", `${what}: the option ${name} is given twice, once as ${key}.`, {
        hint: "Leave one of the two out.",
      });
    given.set(name, value);
  }
  const checked: Record<string, unknown> = {};
  for (const [name, rule] of Object.entries(rules)) {
    const value = given.get(name);
    if (value !== undefined && !rule.accepts(value))
      throw new MillraceError("BAD_OPTION", `${what}: the option ${name} is ${describeKind(value)}.`, {
        hint: `It has to be ${rule.expected}.`,
      });
    checked[name] = value === undefined ? rule.fallback : value;
  }
  return checked as Checked<R>;
}

/** `num_mel_bins` and `num-mel-bins` as `numMelBins`. */
export function toOptionName(key: string): string {
  return toCamelCase(key.replaceAll("-", "_"));
}

function isWithin(value: unknown, { min, max, above }: Range): boolean {
  if (typeof value !== "number" || !Number.isFinite(value)) return false;
  return !(value < (min ?? -Infinity) || value > (max ?? Infinity) || value <= (above ?? -Infinity));
}

function describeRange({ min, max, above }: Range): string {
  return `${min === undefined ? "" : ` from ${min}`}${above === undefined ? "" : ` above ${above}`}${max === undefined ? "" : ` up to ${max}`}`;
}

function unknownOption(what: string, key: string, known: readonly string[]): MillraceError {
  const near = nearestName(key, known);
  return new MillraceError("BAD_OPTION", `${what}: there is no option ${JSON.stringify(key)}.`, {
    hint: `${near === undefined ? "" : `Did you mean ${near}? `}The options are ${known.join(", ")}.`,
  });
}
