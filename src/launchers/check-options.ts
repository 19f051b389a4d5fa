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
    if (!Number.isSafeInteger(value) || (value as number) < 1) {
      throw new MillraceError(
        "BAD_OPTION",
        `parallel.options.${name} is ${describeKind(value)}; a whole number from 1 was expected.`,
        { hint: `Write it like ${name}: 4, without quotes, or leave it out.` },
      );
    }
  }
  return options as Partial<Record<Name, number>>;
}

function unknownOption(env: string, name: string, known: readonly string[]): MillraceError {
  const near = nearestName(name, known);
  const guess = near === undefined ? "" : `Did you mean ${near}? `;
  return new MillraceError("BAD_OPTION", `parallel.options: ${JSON.stringify(name)} is not known to env ${env}.`, {
    hint: `${guess}Valid: ${known.join(", ")}.`,
  });
}
