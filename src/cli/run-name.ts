import { basename } from "node:path";
import { runPaths } from "../store/run-paths.ts";
import { readSpec } from "../store/run-spec.ts";

/** What progress calls a run: its runner, as the driver's own progress does. */
export function runName(runDir: string): string {
  const paths = runPaths(runDir);
  try {
    return readSpec(paths).runner.name;
  } catch {
    return basename(paths.root);
  }
}
