import { MillraceError } from "../../errors/errors.ts";
import { hasControls } from "../../text/has-controls.ts";
import type { Job } from "../jobs/scheduler.ts";

/**
 * The directives of a job and the user's, without those that the user skips. The last of several equal ones counts,
 * which is the user's except for `closing`.
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

/** Text after a line break would be a command of the script, so it is refused here, for all schedulers. */
function requireOneLine(directive: string): string {
  if (!hasControls(directive)) return directive;
  throw new MillraceError(
    "BAD_OPTION",
    `A directive of the job script is not one line: ${JSON.stringify(directive)}.`,
    {
      hint: "Write the option it is made of without line breaks and other control characters.",
    },
  );
}
