import { parseArgs } from "node:util";
import { MillraceError, messageOf } from "../shared/errors.ts";

type OptionsConfig = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>["options"]>;

/** One option of a command, as its help shows it. */
export interface CommandOption {
  readonly type: "string" | "boolean";
  readonly short?: string;
  /** What stands for its value in the help: `--limit N`. */
  readonly value?: string;
  readonly help: string;
}

/** What the user typed after the command's name, taken apart. */
export interface CommandInput {
  readonly positionals: readonly string[];
  /** The value of an option, or undefined where it was not given. */
  text(name: string): string | undefined;
  has(name: string): boolean;
  /** Every command there is, for the one that has to know them. */
  allCommands(): Promise<Command[]>;
}

/** A command of `millrace`: what its help says, and what it does. One file each. */
export interface Command {
  readonly name: string;
  /** What stands behind the name in its usage line: `RUN [--watch]`. */
  readonly usage: string;
  readonly summary: string;
  /** More than the summary, where there is more to say. */
  readonly details?: string;
  readonly options: Readonly<Record<string, CommandOption>>;
  /** Each is run by the tests. */
  readonly examples: readonly string[];
  /** How many positional arguments it takes. */
  readonly arguments: { readonly least: number; readonly most: number };
  /** Answers the exit code. */
  run(input: CommandInput): Promise<number>;
}

/** Exit codes, as the documentation lists them. */
export const exitCode = { ok: 0, failed: 1, usage: 2, incomplete: 3, interrupted: 130 } as const;

/** Takes a command's arguments apart; what it does not know is an error that shows its usage. */
export function parseInput(
  command: Command,
  args: readonly string[],
  allCommands: CommandInput["allCommands"],
): CommandInput {
  const { least, most } = command.arguments;
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({ args: [...args], options: optionsConfig(command), allowPositionals: true, strict: true });
  } catch (error) {
    throw badUsage(command, messageOf(error).split(". ")[0]!);
  }
  const { positionals, values } = parsed;
  if (positionals.length < least)
    throw badUsage(command, `${command.name} needs ${argumentNames(command)[positionals.length]}`);
  if (positionals.length > most)
    throw badUsage(command, `${JSON.stringify(positionals[most])} is one argument too many`);
  return {
    positionals,
    allCommands,
    text: (name) => values[name] as string | undefined,
    has: (name) => values[name] !== undefined && values[name] !== false,
  };
}

function argumentNames({ usage }: Command): string[] {
  return usage.split(" ").filter((word) => /^[A-Z]/.test(word));
}

function optionsConfig({ options }: Command): OptionsConfig {
  return Object.fromEntries(
    Object.entries({ ...options, help: { type: "boolean", short: "h", help: "" } as CommandOption }).map(
      ([name, { type, short }]) => [name, short === undefined ? { type } : { type, short }],
    ),
  );
}

export function badUsage(command: Command, why: string): MillraceError {
  return new MillraceError("BAD_USAGE", `${why}.`, {
    hint: `Usage: millrace ${command.name} ${command.usage}\n     millrace ${command.name} --help says more.`,
  });
}

/** The text of `millrace COMMAND --help`. */
export function helpText({ name, usage, summary, details, options, examples }: Command): string {
  const rows = Object.entries(options).map(([option, { short, value, help }]) => {
    const names = `${short === undefined ? "" : `-${short}, `}--${option}${value === undefined ? "" : ` ${value}`}`;
    return [names, help] as const;
  });
  rows.push(["-h, --help", "show this"]);
  const width = Math.max(...rows.map(([names]) => names.length));
  return [
    `Usage: millrace ${name} ${usage}`,
    "",
    `${summary}${details === undefined ? "" : `\n\n${details}`}`,
    "",
    "Options:",
    ...rows.map(([names, help]) => `  ${names.padEnd(width)}  ${help}`),
    "",
    "Examples:",
    ...examples.map((example) => `  ${example}`),
    "",
  ].join("\n");
}
