import { existsSync, rmSync, writeFileSync } from "node:fs";
import type { RunPaths } from "./run-paths.ts";

/** Asks everyone at work on a run, on any host, to save and leave. */
export function orderStop(paths: RunPaths): void {
  writeFileSync(paths.stop, "");
}

/** Whether a run was asked to stop. */
export function isStopOrdered(paths: RunPaths): boolean {
  return existsSync(paths.stop);
}

/** Whoever starts a run again wants it to go on. */
export function withdrawStop(paths: RunPaths): void {
  rmSync(paths.stop, { force: true });
}
