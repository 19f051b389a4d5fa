import { parseArgs } from "node:util";
import { MillraceError, messageOf } from "../shared/errors.ts";
import { nearestName } from "../shared/nearest-name.ts";

type OptionsConfig = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>["options"]>;

/** One option of a command, as its help shows it. */
interface CommandOption {
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
  /** It imports the user's modules and works on a run: a reader of its output that goes away does not end it. */
  readonly runsUserCode?: true;
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
    throw badUsage(command, explain(command, messageOf(error)));
  }
  const { positionals, values } = parsed;
  if (positionals.length < least)
    throw badUsage(command, `${command.name} needs ${argumentNames(command)[positionals.length]}`);
  if (positionals.length > most)
    throw badUsage(command, `${JSON.stringify(positionals[most])} is one argument too many`);
  // A shell makes it of a variable that is not set, and every path begins with it: "" would be this very folder.
  if (positionals[0] === "") throw badUsage(command, `${argumentNames(command)[0]} is empty`);
  return {
    positionals,
    allCommands,
    text: (name) => values[name] as string | undefined,
    has: (name) => values[name] !== undefined && values[name] !== false,
  };
}

/** The first sentence of what Node.js says; the rest is about programming. */
function explain({ options }: Command, message: string): string {
  const [sentence] = message.split(/\.\s|\n/) as [string];
  const [, bare] = /^Option '(?:-\w, )?(--[\w-]+).*argument (?:missing|is ambiguous)/.exec(sentence) ?? [];
  if (bare !== undefined) return `${bare} needs a value`;
  const unknown = /^Unknown option '--?([^'=]+)/.exec(sentence)?.[1];
  const near = unknown === undefined ? undefined : nearestName(unknown, [...Object.keys(options), "help"]);
  return `${sentence.replace(/\.$/, "")}${near === undefined ? "" : `; did you mean --${near}?`}`;
}

/** The names of the arguments in the usage line, without those of option values. */
function argumentNames({ usage }: Command): string[] {
  return usage
    .replace(/\[?--.*/, "")
    .split(/[\s[\]]+/)
    .filter((word) => /^[A-Z]/.test(word));
}

function optionsConfig({ options }: Command): OptionsConfig {
  return Object.fromEntries(
    Object.entries({ ...options, help: { type: "boolean", short: "h", help: "" } as CommandOption }).map(
      ([name, { type, short }]) => [name, short === undefined ? { type } : { type, short }],
    ),
  );
}

export function badUsage(command: Command, why: string): MillraceError {
  return new MillraceError("BAD_USAGE", /[.?!]$/.test(why) ? why : `${why}.`, {
    hint: `Usage: millrace ${command.name} ${command.usage}\n     millrace ${command.name} --help says more.`,
  });
}

/** Refuses two options that exclude each other. */
export function refuseBoth(command: Command, { has }: CommandInput, one: string, other: string): void {
  if (has(one) && has(other)) throw badUsage(command, `--${one} and --${other} exclude each other`);
}

/** The whole number from 1 of an option, or undefined where it was not given. */
export function countOf(command: Command, { text }: CommandInput, option: string): number | undefined {
  const value = text(option);
  if (value === undefined) return undefined;
  if (/^[1-9]\d{0,14}$/.test(value)) return Number(value);
  throw badUsage(command, `--${option} is ${JSON.stringify(value)}; a whole number from 1 was expected`);
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
