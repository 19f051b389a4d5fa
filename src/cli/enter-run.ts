import { resolve } from "node:path";
import { messageOf } from "../shared/errors.ts";
import { runPaths } from "../store/run-paths.ts";
import { type RunSpec, readSpec } from "../store/run-spec.ts";
import { openStatus } from "../store/run-status.ts";

/** A run that is to be gone on with from its folder alone. */
export interface EnteredRun {
  readonly runDir: string;
  readonly spec: RunSpec;
}

/**
 * Goes to where a run was started, as its workers do: relative paths in its config, and packages, are found from there.
 * Answers the run's folder as seen from everywhere.
 */
export async function enterRun(dir: string): Promise<EnteredRun> {
  const runDir = resolve(dir);
  await openStatus(runDir);
  const spec = readSpec(runPaths(runDir));
  try {
    if (spec.cwd !== process.cwd()) process.chdir(spec.cwd);
  } catch (error) {
    process.stderr.write(`millrace: the run was started in ${spec.cwd}, which is not here (${messageOf(error)})\n`);
  }
  return { runDir, spec };
}
