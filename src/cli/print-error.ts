import { inspect } from "node:util";
import { type ErrorCode, errnoOf, isMillraceError, messageOf } from "../errors/errors.ts";
import { maskSecrets } from "../secrets/secret-values.ts";
import { toSnakeCase } from "../text/letter-case.ts";
import { readable } from "../text/readable.ts";
import { exitCode } from "./command.ts";
import { placeOfError } from "./place-of-error.ts";

const wrongUse: readonly (ErrorCode | undefined)[] = [
  "BAD_USAGE",
  "BAD_CONFIG",
  "BAD_TARGET",
  "BAD_OPTION",
  "NOT_TRUSTED",
];

/** Prints an error to stderr and returns the exit code. Only unexpected errors are printed with a stack. */
export function printError(error: unknown): number {
  const isExpected = isMillraceError(error) || errnoOf(error) !== undefined;
  const isDetailed = !isExpected || (process.env["MILLRACE_DEBUG"] ?? "") !== "";
  process.stderr.write(`millrace: ${readable(maskSecrets(isDetailed ? inspect(error) : forCommandLine(error)))}\n`);
  const code = isMillraceError(error) ? error.code : undefined;
  if (code === "RUN_STOPPED") return exitCode.incomplete;
  return wrongUse.includes(code) ? exitCode.usage : exitCode.failed;
}

/**
 * The message with the place in the user's code, and with option names and the page in the form of the command line.
 */
function forCommandLine(error: unknown): string {
  if (!isMillraceError(error)) return messageOf(error);
  const { code, hint, reason } = error;
  const place = placeOfError(error);
  const where = place === undefined ? "" : `\n  in ${place}`;
  const advice = hint === undefined ? "" : `\n  -> ${inOptionsOfCommands(hint)}`;
  // The reason may contain another millrace error with its own hint.
  const what = reason.replace(/^ {2}-> .*$/gm, inOptionsOfCommands);
  return `${what}${where}${advice}\n  [millrace explain ${code}]`;
}

function inOptionsOfCommands(hint: string): string {
  return hint
    .replaceAll("acceptChange: true", "--accept-change")
    .replaceAll("resume: false", "--restart")
    .replaceAll('onError: "skip"', "++runner.on_error=skip")
    .replace(/\b(outputDir|shardSubdir|batchSize|itemTimeout|maxRss)\b/g, toSnakeCase);
}
