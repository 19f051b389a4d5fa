import type { ParallelInput } from "../config/parallel.ts";
import { runPaths } from "../store/run-paths.ts";
import { readSpec } from "../store/run-spec.ts";

/** Where the workers of a run were last to run. */
export function parallelOf(runDir: string): ParallelInput {
  return readSpec(runPaths(runDir)).parallel as ParallelInput;
}
