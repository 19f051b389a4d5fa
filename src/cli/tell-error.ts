import { inspect } from "node:util";
import { type ErrorCode, errnoOf, isMillraceError, messageOf } from "../shared/errors.ts";
import { exitCode } from "./command.ts";
import { placeOfError } from "./place-of-error.ts";
import { readable } from "./readable.ts";

const wrongUse: readonly (ErrorCode | undefined)[] = ["BAD_USAGE", "BAD_CONFIG", "BAD_TARGET", "BAD_OPTION"];

/** Says on stderr what went wrong and answers the exit code. Only what nobody foresaw comes with a stack. */
export function tellError(error: unknown): number {
  const isExpected = isMillraceError(error) || errnoOf(error) !== undefined;
  const isDetailed = !isExpected || (process.env["MILLRACE_DEBUG"] ?? "") !== "";
  process.stderr.write(`millrace: ${readable(isDetailed ? inspect(error) : forCommandLine(error))}\n`);
  const code = isMillraceError(error) ? error.code : undefined;
  if (code === "RUN_STOPPED") return exitCode.incomplete;
  return wrongUse.includes(code) ? exitCode.usage : exitCode.failed;
}

/** The message with the place in the user's code, the options of a runner in its hint by the names they have here, and the page as it is found here. */
function forCommandLine(error: unknown): string {
  if (!isMillraceError(error)) return messageOf(error);
  const { code, hint, reason } = error;
  const place = placeOfError(error);
  const where = place === undefined ? "" : `\n  in ${place}`;
  const advice = hint === undefined ? "" : `\n  -> ${inOptionsOfCommands(hint)}`;
  // The reason may hold an error of millrace's, with a hint of its own.
  const what = reason.replace(/^ {2}-> .*$/gm, inOptionsOfCommands);
  return `${what}${where}${advice}\n  [millrace explain ${code}]`;
}

function inOptionsOfCommands(hint: string): string {
  return hint
    .replaceAll("acceptChange: true", "--accept-change")
    .replaceAll("resume: false", "--restart")
    .replaceAll('onError: "skip"', "++runner.on_error=skip")
    .replace(/\b(outputDir|shardSubdir|batchSize|itemTimeout|maxRss)\b/g, (name) =>
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    );
}
