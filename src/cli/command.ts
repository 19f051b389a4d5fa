import { parseArgs } from "node:util";
import { MillraceError, messageOf } from "../errors/errors.ts";
import { nearestName } from "../text/nearest-name.ts";

type OptionsConfig = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>["options"]>;

/** One option of a command, as its help shows it. */
interface CommandOption {
  readonly type: "string" | "boolean";
  readonly short?: string;
  /** The placeholder of its value in the help: `--limit N`. */
  readonly value?: string;
  readonly help: string;
}

/** The parsed arguments of a command. */
export interface CommandInput {
  readonly positionals: readonly string[];
  /** The value of an option; undefined if it was not given. */
  text(name: string): string | undefined;
  has(name: string): boolean;
  /** All commands, for the command that completes them. */
  allCommands(): Promise<Command[]>;
}

/** A command of `millrace`: its help and its implementation. One file each. */
export interface Command {
  readonly name: string;
  /** The usage line after the name: `RUN [--watch]`. */
  readonly usage: string;
  readonly summary: string;
  /** Additional help. */
  readonly details?: string;
  readonly options: Readonly<Record<string, CommandOption>>;
  /** Removed options, and what to do instead. */
  readonly retired?: Readonly<Record<string, string>>;
  /** The tests run each of them. */
  readonly examples: readonly string[];
  /** The number of positional arguments. */
  readonly arguments: { readonly min: number; readonly max: number };
  /**
   * It imports the user's modules and works on a run, so it must not end when the reader of its output closes the pipe.
   */
  readonly runsUserCode?: true;
  /** Returns the exit code. */
  run(input: CommandInput): Promise<number>;
}

/** Which code of the project a command may run: none, code that belongs to this user, or all of it (`--trust`). */
export type CodeTrust = "none" | "user" | "all";

/** For commands that run code named by a config or a run. */
export const trustOption: CommandOption = {
  type: "boolean",
  help: "run its code although it belongs to another user, or anyone can write to it",
};

/** The meaning of `--trust`. */
export function trustOf({ has }: CommandInput): CodeTrust {
  return has("trust") ? "all" : "user";
}

/** Exit codes, as the documentation lists them. */
export const exitCode = { ok: 0, failed: 1, usage: 2, incomplete: 3, interrupted: 130 } as const;

/** Parses a command's arguments. An unknown one is an error that shows the usage. */
export function parseInput(
  command: Command,
  args: readonly string[],
  allCommands: CommandInput["allCommands"],
): CommandInput {
  const { min, max } = command.arguments;
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({ args: [...args], options: optionsConfig(command), allowPositionals: true, strict: true });
  } catch (error) {
    throw badUsage(command, explain(command, messageOf(error)));
  }
  const { positionals, values } = parsed;
  if (positionals.length < min)
    throw badUsage(command, `${command.name} needs ${argumentNames(command)[positionals.length]}`);
  if (positionals.length > max) throw badUsage(command, `${JSON.stringify(positionals[max])} is one argument too many`);
  // A shell passes "" for an unset variable; as a path it would mean the current folder.
  if (positionals[0] === "") throw badUsage(command, `${argumentNames(command)[0]} is empty`);
  return {
    positionals,
    allCommands,
    text: (name) => values[name] as string | undefined,
    has: (name) => values[name] !== undefined && values[name] !== false,
  };
}

/** The first sentence of Node.js's message; the rest is for programmers. */
function explain({ options, retired = {} }: Command, message: string): string {
  const [sentence] = message.split(/\.\s|\n/) as [string];
  const [, bare] = /^Option '(?:-\w, )?(--[\w-]+).*argument (?:missing|is ambiguous)/.exec(sentence) ?? [];
  if (bare !== undefined) return `${bare} needs a value`;
  const unknown = /^Unknown option '--?([^'=]+)/.exec(sentence)?.[1];
  if (unknown !== undefined && Object.hasOwn(retired, unknown)) return retired[unknown]!;
  const near = unknown === undefined ? undefined : nearestName(unknown, [...Object.keys(options), "help"]);
  return `${sentence.replace(/\.$/, "")}${near === undefined ? "" : `; did you mean --${near}?`}`;
}

/** The names of the arguments in the usage line, without option values. */
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
    hint: `Usage: millrace ${command.name} ${command.usage}\n     millrace ${command.name} --help shows more.`,
  });
}

/** Refuses two options that exclude each other. */
export function refuseBoth(command: Command, { has }: CommandInput, one: string, other: string): void {
  if (has(one) && has(other)) throw badUsage(command, `--${one} and --${other} exclude each other`);
}

/** The value of an option as a whole number from 1; undefined if it was not given. */
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
