import { MillraceError } from "../../errors/errors.ts";

/**
 * Writes the value of an option in a directive. Most schedulers read a text in double quotes as one word, but cannot
 * escape a quote in it: the text after the quote would be another option. So quotes are refused.
 */
export function directiveWord(option: string, value: string): string {
  if (/^[\w.,:/@+%=!&-]+$/.test(value)) return value;
  if (!/["'\\]/.test(value)) return `"${value}"`;
  throw new MillraceError("BAD_OPTION", `parallel.options.${option} is ${JSON.stringify(value)}.`, {
    hint: "Write it without quotes and backslashes: the directives of this scheduler have no way to write them.",
  });
}
