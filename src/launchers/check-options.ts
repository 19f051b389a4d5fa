import { showPosition } from "../config/config-error.ts";
import type { ParallelConfig } from "../config/parallel.ts";
import { positionOf } from "../config/position-of.ts";
import { MillraceError } from "../errors/errors.ts";
import { nearestName } from "../text/nearest-name.ts";
import { describeKind } from "../values/state-json.ts";

type Options = ParallelConfig["options"];

/** A problem with one of `parallel.options`. `refusalOf` adds its position in the config. */
export class BadOption extends Error {
  readonly option: string;
  readonly hint: string;
  constructor(option: string, message: string, hint: string) {
    super(message);
    this.option = option;
    this.hint = hint;
  }
}

type Readers<T> = { readonly [K in keyof T]: () => T[K] };

/** Reads all options. Throws one error about all invalid ones, including `problems`, which were found before. */
export function readOptions<T extends object>(
  options: Options,
  readers: Readers<T>,
  problems: readonly BadOption[] = [],
): T {
  const { read, problems: more } = tryOptions(readers);
  const all = [...problems, ...more];
  if (all.length > 0) throw refusalOf(options, all);
  return read as T;
}

/** Reads the valid options, and returns the problems of the others. */
export function tryOptions<T extends object>(readers: Readers<T>): { read: Partial<T>; problems: BadOption[] } {
  const problems: BadOption[] = [];
  const read: [string, unknown][] = [];
  for (const [name, reader] of Object.entries<() => unknown>(readers)) {
    try {
      read.push([name, reader()]);
    } catch (error) {
      if (!(error instanceof BadOption)) throw error;
      // An option that two readers use is reported once.
      if (!problems.some(({ message }) => message === error.message)) problems.push(error);
    }
  }
  return { read: Object.fromEntries(read) as Partial<T>, problems };
}

/** The error about options of a config, each with file, line and column if it was read from a file. */
export function refusalOf(options: Options, found: readonly BadOption[]): MillraceError {
  const order = Object.keys(options);
  const problems = [...found].sort((a, b) => order.indexOf(a.option) - order.indexOf(b.option));
  const placed = problems.map(({ option, message }) => {
    const position = positionOf(options, [option]);
    return position === undefined ? message : `${showPosition(position)}: ${message}`;
  });
  if (problems.length === 1) return new MillraceError("BAD_OPTION", placed[0]!, { hint: problems[0]!.hint });
  const lines = problems.map(({ hint }, i) => `${placed[i]} ${hint}`);
  return new MillraceError("BAD_OPTION", lines.join("\n"), {
    hint: "Each line names one of parallel.options. Correct all of them, then run again.",
  });
}

/** Checks `parallel.options` of an env whose options are all whole numbers from 1. */
export function checkCountOptions<Name extends string>(
  { env, options }: ParallelConfig,
  known: readonly Name[],
): Partial<Record<Name, number>> {
  const names = Object.keys(options);
  const unknown = names.filter((name) => !known.some((entry) => entry === name));
  readOptions(
    options,
    Object.fromEntries(known.map((name) => [name, () => checkCount(name, options[name])])),
    unknown.map((name) => unknownOption(env, name, known)),
  );
  return options as Partial<Record<Name, number>>;
}

/** Checks an option that is a whole number; undefined if it is left out. */
export function checkCount(name: string, value: unknown, min = 1): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= min) return value as number;
  throw new BadOption(
    name,
    `parallel.options.${name} is ${describeKind(value)}; a whole number from ${min} was expected.`,
    `Write it like ${name}: 4, without quotes, or leave it out.`,
  );
}

/**
 * The problem of an option that an env does not have; it names the nearest option that it has. `aliases`: other names
 * of options.
 */
export function unknownOption(
  env: string,
  name: string,
  known: readonly string[],
  aliases: Readonly<Record<string, string>> = {},
): BadOption {
  const near = nearestName(name, [...known, ...Object.keys(aliases)]);
  const guess = near === undefined ? "" : `Did you mean ${known.includes(near) ? near : aliases[near]}? `;
  return new BadOption(
    name,
    `parallel.options: ${JSON.stringify(name)} is not known to env ${env}.`,
    `${guess}Valid: ${known.join(", ")}.`,
  );
}
