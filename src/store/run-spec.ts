import { MillraceError } from "../shared/errors.ts";
import { readIfPresent, replaceFileQuickly } from "./durable-files.ts";
import type { RunPaths } from "./run-paths.ts";

/** How a worker finds a class: the module that exports it and its name there. */
export interface ClassReference {
  readonly module: string | undefined;
  readonly name: string;
}

/** What a worker needs besides the plan. JSON only: never code. */
export interface RunSpec {
  readonly version: 1;
  readonly runner: ClassReference;
  readonly provider: ClassReference;
  readonly config: unknown;
  readonly params: unknown;
  readonly options: object;
}

/** Writes the spec of the run as it is carried out now; a resume may change the options. */
export function writeSpec(paths: RunPaths, spec: RunSpec): void {
  replaceFileQuickly(paths.spec, `${JSON.stringify(spec, undefined, 1)}\n`);
}

export function readSpec(paths: RunPaths): RunSpec {
  const text = readIfPresent(paths.spec);
  if (text === undefined) {
    throw new MillraceError("RUN_NOT_FOUND", `${paths.spec} is not there.`, {
      hint: "Name the folder of a run that was begun.",
    });
  }
  return JSON.parse(text) as RunSpec;
}
