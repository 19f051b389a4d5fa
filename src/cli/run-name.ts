import { basename } from "node:path";
import { runPaths } from "../run-folder/files/run-paths.ts";
import { readSpec } from "../run-folder/run/run-spec.ts";

/** The name of a run in progress lines: that of its runner. */
export function runName(runDir: string): string {
  const paths = runPaths(runDir);
  try {
    return readSpec(paths).runner.name;
  } catch {
    return basename(paths.root);
  }
}
