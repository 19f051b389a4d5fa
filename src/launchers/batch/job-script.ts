import { shellWord } from "../../shared/shell-word.ts";
import type { Job } from "./scheduler.ts";

/** How a directive is written: `#SBATCH`, `#$`, `#PBS`. */
export interface ScriptForm {
  readonly prefix: string;
  readonly directives: readonly string[];
  /** The task's number, as the shell finds it, where output is redirected by the script itself. */
  readonly task: string;
}

/** A job script: the directives, the user's prologue, and the workers in place of the shell. */
export function jobScript({ options, command, log }: Job, { prefix, directives, task }: ScriptForm): string {
  const { shebang, extraDirectives, skippedDirectives, prologue } = options;
  const lines = [...directives, ...extraDirectives]
    .map((directive) => `${prefix} ${directive}`)
    .filter((line) => !skippedDirectives.some((part) => line.includes(part)));
  return [
    shebang,
    ...lines,
    "",
    // Only where the scheduler cannot be told: its own messages would go there too.
    ...(isPlainPath(log) ? [] : [`exec >>${shellWord(`${log}.`)}${task}.log 2>&1`]),
    ...prologue,
    // In the shell's place, so that signals of the scheduler reach it.
    `exec ${command.map(shellWord).join(" ")}`,
    "",
  ].join("\n");
}

/**
 * Whether a path means the same to every scheduler. Some expand percent signs and dollars in the paths they are given,
 * and none says how a blank is to be written.
 */
export function isPlainPath(path: string): boolean {
  return /^[A-Za-z0-9_./+@,-]+$/.test(path);
}
