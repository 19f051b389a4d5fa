import { inspect } from "node:util";
import { type ErrorCode, errnoOf, messageOf } from "../shared/errors.ts";
import { exitCode } from "./command.ts";

const wrongUse: readonly unknown[] = ["BAD_USAGE", "BAD_CONFIG", "BAD_TARGET", "BAD_OPTION"] satisfies ErrorCode[];

/** Says on stderr what went wrong and answers the exit code. Only what nobody foresaw comes with a stack. */
export function tellError(error: unknown): number {
  const isExpected = isOwnError(error) || errnoOf(error) !== undefined;
  const isDetailed = !isExpected || (process.env["MILLRACE_DEBUG"] ?? "") !== "";
  process.stderr.write(`millrace: ${readable(isDetailed ? inspect(error) : forCommandLine(messageOf(error)))}\n`);
  const code = isOwnError(error) ? (error as { code?: unknown }).code : undefined;
  if (code === "RUN_STOPPED") return exitCode.incomplete;
  return wrongUse.includes(code) ? exitCode.usage : exitCode.failed;
}

// By its name: the user's project may have a copy of this package that is not this one.
function isOwnError(error: unknown): boolean {
  return error instanceof Error && error.name === "MillraceError";
}

/** The messages speak of options of a runner; here they have other names. */
function forCommandLine(message: string): string {
  return message
    .replaceAll("acceptChange: true", "--accept-change")
    .replaceAll("resume: false", "--restart")
    .replaceAll("outputDir/shardSubdir", "output_dir/shard_subdir")
    .replaceAll("outputDir", "output_dir")
    .replaceAll("shardSubdir", "shard_subdir");
}

/** Names from elsewhere may hold what a terminal would obey. */
function readable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, (character) => JSON.stringify(character).slice(1, -1));
}
