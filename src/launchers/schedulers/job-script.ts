import { shellWord } from "../../text/shell-word.ts";
import type { Job } from "../jobs/scheduler.ts";
import { keptDirectives } from "./kept-directives.ts";

/** How a directive is written: `#SBATCH`, `#$`, `#PBS`. */
export interface ScriptForm {
  readonly prefix: string;
  readonly directives: readonly string[];
  /** Directives that must come after the user's, which they include. */
  readonly closing?: readonly string[];
  /** A shell expression for the task's number from 0, where the script itself redirects its output. */
  readonly task: string;
  /** Set where the scheduler cannot name a file for each task, or counts them from 1. */
  readonly redirects?: boolean;
  /** Set where the scheduler starts the shell that {@link shellPath} names, whatever the script's first line says. */
  readonly ignoresShebang?: boolean;
}

/** A job script: the directives, the user's prologue, and the workers in place of the shell. */
export function jobScript(job: Job, form: ScriptForm): string {
  const { prefix, directives, closing, task, redirects = false, ignoresShebang = false } = form;
  const { shebang } = job.options;
  // Only where the scheduler has no directive for it: its own messages would go there too.
  const lines = shellLines(job, redirects || !isPlainPath(job.log) ? task : undefined);
  return [
    shebang,
    ...keptDirectives(job, prefix, directives, closing).map((directive) => `${prefix} ${directive}`),
    "",
    ...(ignoresShebang && !isOneShell(shebang) ? startedBy(shebang, lines) : lines),
    "",
  ].join("\n");
}

/** The lines as a shell runs them that is started with the arguments of the shebang. */
function startedBy(shebang: string, lines: readonly string[]): string[] {
  return [lineBreak, `exec ${[...shebangWords(shebang), "-c", lines.join("\n")].map(lineWord).join(" ")}`];
}

/** The lines that a shell runs; with a task's number they send their output to its log. */
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

// Some schedulers search the whole script for directives: text after a line break in a word could be one.
const lineBreak = `line_break=$(printf '\\n.') && line_break=\${line_break%.}`;

function lineWord(word: string): string {
  return word === ""
    ? "''"
    : word
        .split("\n")
        .map((part) => (part === "" ? "" : shellWord(part)))
        .join('"$line_break"');
}

/** A shell expression for a task's number from 0. In a plain job the variable is missing, or is not a number. */
export function taskNumber(variable: string, firstTask: 0 | 1): string {
  return firstTask === 0 ? `\${${variable}:-0}` : `$((${variable} - 1))`;
}

/** The words of a shebang: the program and its arguments. */
export function shebangWords(shebang: string): string[] {
  const [program = "", ...rest] = shebang.replace(/^#!/, "").trim().split(/\s+/);
  // `env -S` splits what is already split here.
  return [program, ...rest.filter((word, i) => !(program.endsWith("/env") && i === 0 && word === "-S"))];
}

/** Whether a shebang names only a shell, by its path or through env. */
function isOneShell(shebang: string): boolean {
  const [program = "", name, ...rest] = shebangWords(shebang);
  if (!program.endsWith("/env")) return name === undefined;
  return name !== undefined && /^\w+$/.test(name) && rest.length === 0;
}

/** The path of the shell, for schedulers that ignore the script's first line. */
export function shellPath(shebang: string): string {
  const [program = "", name] = shebangWords(shebang);
  // The script itself applies the other arguments of the shebang.
  if (!isOneShell(shebang)) return "/bin/sh";
  return name === undefined ? program : `/bin/${name}`;
}

/**
 * Whether every scheduler reads a path the same way. Some expand percent signs and dollars, and none documents how to
 * write a blank.
 */
export function isPlainPath(path: string): boolean {
  return /^[A-Za-z0-9_./+@,-]+$/.test(path);
}
