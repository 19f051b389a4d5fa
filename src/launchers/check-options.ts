import type { ParallelConfig } from "../config/parallel.ts";
import { MillraceError } from "../shared/errors.ts";
import { nearestName } from "../shared/nearest-name.ts";
import { describeKind } from "../shared/state-json.ts";

/** Checks `parallel.options` of an env whose options are all whole numbers from 1. */
export function checkCountOptions<Name extends string>(
  { env, options }: ParallelConfig,
  known: readonly Name[],
): Partial<Record<Name, number>> {
  for (const [name, value] of Object.entries(options)) {
    if (!known.some((entry) => entry === name)) throw unknownOption(env, name, known);
    checkCount(name, value);
  }
  return options as Partial<Record<Name, number>>;
}

/** A whole number among `parallel.options`, or undefined where it is left out. */
export function checkCount(name: string, value: unknown, least = 1): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
  throw new MillraceError(
    "BAD_OPTION",
    `parallel.options.${name} is ${describeKind(value)}; a whole number from ${least} was expected.`,
    { hint: `Write it like ${name}: 4, without quotes, or leave it out.` },
  );
}

/** An option that an env does not have, with the nearest that it has. */
export function unknownOption(env: string, name: string, known: readonly string[]): MillraceError {
  const near = nearestName(name, known);
  const guess = near === undefined ? "" : `Did you mean ${near}? `;
  return new MillraceError("BAD_OPTION", `parallel.options: ${JSON.stringify(name)} is not known to env ${env}.`, {
    hint: `${guess}Valid: ${known.join(", ")}.`,
  });
}
