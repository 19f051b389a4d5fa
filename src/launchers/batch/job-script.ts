import { shellWord } from "../../shared/shell-word.ts";
import { keptDirectives } from "./kept-directives.ts";
import type { Job } from "./scheduler.ts";

/** How a directive is written: `#SBATCH`, `#$`, `#PBS`. */
export interface ScriptForm {
  readonly prefix: string;
  readonly directives: readonly string[];
  /** Those that must come after the user's own, which they take into account. */
  readonly closing?: readonly string[];
  /** The task's number from 0, as the shell finds it, where output is redirected by the script itself. */
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
  // Only where the scheduler cannot be told: its own messages would go there too.
  const lines = shellLines(job, redirects || !isPlainPath(job.log) ? task : undefined);
  return [
    shebang,
    ...keptDirectives(job, prefix, directives, closing).map((directive) => `${prefix} ${directive}`),
    "",
    ...(ignoresShebang && !isOneShell(shebang) ? startedBy(shebang, lines) : lines),
    "",
  ].join("\n");
}

/** The lines as a shell runs them that is started with what the shebang tells it. */
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
    // In the shell's place, so that signals of the scheduler reach it.
    `exec ${command.map(lineWord).join(" ")}`,
  ];
}

// Some schedulers look for directives in the whole script: what follows a line break in a word could be one.
const lineBreak = `line_break=$(printf '\\n.') && line_break=\${line_break%.}`;

function lineWord(word: string): string {
  return word === ""
    ? "''"
    : word
        .split("\n")
        .map((part) => (part === "" ? "" : shellWord(part)))
        .join('"$line_break"');
}

/** A task's number from 0 as a shell works it out. A plain job does not find the variable, or finds no number in it. */
export function taskNumber(variable: string, firstTask: 0 | 1): string {
  return firstTask === 0 ? `\${${variable}:-0}` : `$((${variable} - 1))`;
}

/** The words a shebang starts its script with: the program and what it is told. */
export function shebangWords(shebang: string): string[] {
  const [program = "", ...rest] = shebang.replace(/^#!/, "").trim().split(/\s+/);
  // It has env take apart what are words here already.
  return [program, ...rest.filter((word, i) => !(program.endsWith("/env") && i === 0 && word === "-S"))];
}

/** Whether a shebang names no more than a shell, by its path or for env to find. */
function isOneShell(shebang: string): boolean {
  const [program = "", name, ...rest] = shebangWords(shebang);
  if (!program.endsWith("/env")) return name === undefined;
  return name !== undefined && /^\w+$/.test(name) && rest.length === 0;
}

/** The shell as schedulers want it named that ignore the script's first line: one path. */
export function shellPath(shebang: string): string {
  const [program = "", name] = shebangWords(shebang);
  // What else the first line says, the script does itself.
  if (!isOneShell(shebang)) return "/bin/sh";
  return name === undefined ? program : `/bin/${name}`;
}

/**
 * Whether a path means the same to every scheduler. Some expand percent signs and dollars in the paths they are given,
 * and none says how a blank is to be written.
 */
export function isPlainPath(path: string): boolean {
  return /^[A-Za-z0-9_./+@,-]+$/.test(path);
}
