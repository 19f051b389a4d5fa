import { MillraceError } from "../../shared/errors.ts";

/**
 * The value of an option as it stands in a directive. Most schedulers take a text in double quotes for one word, but not a
 * quote within: what follows it would be read as another option. So that is refused.
 */
export function directiveWord(option: string, value: string): string {
  if (/^[\w.,:/@+%=!&-]+$/.test(value)) return value;
  if (!/["'\\]/.test(value)) return `"${value}"`;
  throw new MillraceError("BAD_OPTION", `parallel.options.${option} is ${JSON.stringify(value)}.`, {
    hint: "Write it without quotes and backslashes: the directives of this scheduler have no way to write them.",
  });
}
