import { shellWord } from "../../text/shell-word.ts";
import type { Job } from "../jobs/scheduler.ts";
import { keptDirectives } from "./kept-directives.ts";

/** How a directive is written: `#SBATCH`, `#$`, `#PBS`. */
export interface ScriptForm {
  readonly prefix: string;
  readonly directives: readonly string[];
  /** Directives that come after the user's; they contain the user's. */
  readonly closing?: readonly string[];
  /** A shell expression for the number of the task from 0, used if the script redirects its own output. */
  readonly task: string;
  /** The script redirects its output: the scheduler cannot name a file for each task, or counts tasks from 1. */
  readonly redirects?: boolean;
  /** The scheduler ignores the first line of the script, and starts the shell of {@link shellPath}. */
  readonly ignoresShebang?: boolean;
}

/** A job script: the directives, the user's prologue, and the command, which replaces the shell. */
export function jobScript(job: Job, form: ScriptForm): string {
  const { prefix, directives, closing, task, redirects = false, ignoresShebang = false } = form;
  const { shebang } = job.options;
  // Only if no directive can do it: with a directive, messages of the scheduler are in the file too.
  const lines = shellLines(job, redirects || !isPlainPath(job.log) ? task : undefined);
  return [
    shebang,
    ...keptDirectives(job, prefix, directives, closing).map((directive) => `${prefix} ${directive}`),
    "",
    ...(ignoresShebang && !isOneShell(shebang) ? startedBy(shebang, lines) : lines),
    "",
  ].join("\n");
}

/** Lines that start the shell of the shebang, with its arguments, and let it run these lines. */
function startedBy(shebang: string, lines: readonly string[]): string[] {
  return [lineBreak, `exec ${[...shebangWords(shebang), "-c", lines.join("\n")].map(lineWord).join(" ")}`];
}

/** The lines that a shell runs. With a task number, their output goes to the log of the task. */
export function shellLines({ options, command, log }: Job, task: string | undefined): string[] {
  const hasLineBreak = [...(task === undefined ? [] : [log]), ...command].some((word) => word.includes("\n"));
  return [
    ...(hasLineBreak ? [lineBreak] : []),
    ...(task === undefined ? [] : [`exec >>${lineWord(`${log}.`)}${task}.log 2>&1`]),
    ...options.prologue,
    // `exec` replaces the shell, so that signals of the scheduler reach the workers' parent.
    `exec ${command.map(lineWord).join(" ")}`,
  ];
}

// Some schedulers search the whole script for directives. Text after a line break in a word could look like one, so
// line breaks are written as a variable.
const lineBreak = `line_break=$(printf '\\n.') && line_break=\${line_break%.}`;

function lineWord(word: string): string {
  return word === ""
    ? "''"
    : word
        .split("\n")
        .map((part) => (part === "" ? "" : shellWord(part)))
        .join('"$line_break"');
}

/** A shell expression for the number of a task from 0. In a job without an array the variable is missing or not a number. */
export function taskNumber(variable: string, firstTask: 0 | 1): string {
  return firstTask === 0 ? `\${${variable}:-0}` : `$((${variable} - 1))`;
}

/** The words of a shebang: the program and its arguments. */
export function shebangWords(shebang: string): string[] {
  const [program = "", ...rest] = shebang.replace(/^#!/, "").trim().split(/\s+/);
  // `-S` of env splits its argument, which is already done here.
  return [program, ...rest.filter((word, i) => !(program.endsWith("/env") && i === 0 && word === "-S"))];
}

/** Whether a shebang names only a shell, by its path or through env. */
function isOneShell(shebang: string): boolean {
  const [program = "", name, ...rest] = shebangWords(shebang);
  if (!program.endsWith("/env")) return name === undefined;
  return name !== undefined && /^\w+$/.test(name) && rest.length === 0;
}

/** The path of the shell, for schedulers that ignore the first line of the script. */
export function shellPath(shebang: string): string {
  const [program = "", name] = shebangWords(shebang);
  // The script itself applies the other arguments of the shebang.
  if (!isOneShell(shebang)) return "/bin/sh";
  return name === undefined ? program : `/bin/${name}`;
}

/**
 * Whether all schedulers read a path in the same way. Some expand percent signs and dollars, and none documents how to
 * write a blank.
 */
export function isPlainPath(path: string): boolean {
  return /^[A-Za-z0-9_./+@,-]+$/.test(path);
}
