import { MillraceError } from "../../errors/errors.ts";
import { toCamelCase } from "../../text/letter-case.ts";
import { describeKind } from "../../values/state-json.ts";

/** How many calls of `forward` a whole run may begin: all its workers on all hosts together, across resumes. */
export interface RateLimit {
  /** Calls per second. At most 100,000. */
  readonly perSecond: number;
  /**
   * How many more calls than `perSecond` × time any period may have, after a pause or if a worker was late. At least 1.
   * Default: `1 + perSecond / 10`. Unused calls expire after five seconds at most. A burst below `1 + perSecond / 50`
   * slows the run down: calls are then further apart, because workers cannot be on time to the millisecond.
   */
  readonly burst?: number | undefined;
  /**
   * Slows the whole run down by 30 % when an error has the status 429 or 503 or a `retryAfterMs`, at most every two seconds,
   * and then recovers by 2 % of `perSecond` each second. Default: `false`.
   */
  readonly adaptive?: boolean | undefined;
}

/** A {@link RateLimit} that was checked, with its defaults. */
export type CheckedRateLimit = { readonly [Name in keyof RateLimit]-?: NonNullable<RateLimit[Name]> };

const known = ["perSecond", "burst", "adaptive"];
const maxPerSecond = 100_000;

/** Checks the option `rateLimit`. */
export function checkRateLimit(given: unknown): CheckedRateLimit {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw bad("", given, "an object with perSecond");
  // Names in a config are in snake_case.
  const entries = Object.entries(given).map(([name, value]) => [toCamelCase(name), value as unknown] as const);
  const unknown = entries.find(([name]) => !known.includes(name));
  if (unknown !== undefined) throw bad(`.${unknown[0]}`, unknown[1], "only perSecond, burst and adaptive");
  const { perSecond, burst, adaptive }: Record<string, unknown> = Object.fromEntries(entries);
  if (!isNumber(perSecond) || perSecond <= 0 || perSecond > maxPerSecond)
    throw bad(".perSecond", perSecond, `a number above 0 and at most ${maxPerSecond}`);
  if (burst !== undefined && (!isNumber(burst) || burst < 1)) throw bad(".burst", burst, "a number from 1");
  if (adaptive !== undefined && typeof adaptive !== "boolean") throw bad(".adaptive", adaptive, "true or false");
  return { perSecond, burst: burst ?? 1 + perSecond / 10, adaptive: adaptive ?? false };
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function bad(name: string, value: unknown, expected: string): MillraceError {
  return new MillraceError(
    "BAD_OPTION",
    `Option rateLimit${name} is ${describeKind(value)}; ${expected} was expected.`,
    {
      hint: "Write rateLimit: { perSecond: 50 }, with burst and adaptive where you need them.",
    },
  );
}
