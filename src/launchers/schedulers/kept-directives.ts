import { MillraceError } from "../../errors/errors.ts";
import { hasControls } from "../../text/has-controls.ts";
import type { Job } from "../jobs/scheduler.ts";

/**
 * The directives of a job and those of the user, without those that the user skips. For schedulers the last of several
 * equal options counts: the user's, except for `closing`.
 */
export function keptDirectives(
  { options }: Job,
  prefix: string,
  directives: readonly string[],
  closing: readonly string[] = [],
): string[] {
  const { extraDirectives, skippedDirectives } = options;
  return [...directives, ...extraDirectives, ...closing]
    .filter((directive) => !skippedDirectives.some((part) => `${prefix} ${directive}`.trimStart().includes(part)))
    .map(requireOneLine);
}

/** Throws if a directive has a line break: the text after it would be a command of the script. */
function requireOneLine(directive: string): string {
  if (!hasControls(directive)) return directive;
  throw new MillraceError(
    "BAD_OPTION",
    `A directive of the job script is not one line: ${JSON.stringify(directive)}.`,
    {
      hint: "Write the option in it without line breaks and other control characters.",
    },
  );
}
