import { resolve } from "node:path";
import { requireTrust } from "../config/require-trust.ts";
import { messageOf } from "../errors/errors.ts";
import { runPaths } from "../run-folder/files/run-paths.ts";
import { type RunSpec, readSpec } from "../run-folder/run/run-spec.ts";
import { openStatus } from "../run-folder/run/run-status.ts";
import { readable } from "../text/readable.ts";
import type { CodeTrust } from "./command.ts";

/** A run to be continued from its folder alone. */
export interface EnteredRun {
  readonly runDir: string;
  readonly spec: RunSpec;
}

/**
 * Changes to the folder in which a run was started, as its workers do: relative paths in its config and packages are
 * resolved from there. Returns the absolute run folder. The caller is about to import the modules of the run's spec.
 */
export async function enterRun(dir: string, trust: CodeTrust): Promise<EnteredRun> {
  const runDir = resolve(dir);
  await openStatus(runDir);
  const paths = runPaths(runDir);
  if (trust === "user") requireTrust([paths.machinery, paths.spec], runDir);
  const spec = readSpec(paths);
  try {
    if (spec.cwd !== process.cwd()) process.chdir(spec.cwd);
  } catch (error) {
    process.stderr.write(
      readable(`millrace: the run was started in ${spec.cwd}, which is not here (${messageOf(error)})\n`),
    );
  }
  return { runDir, spec };
}
