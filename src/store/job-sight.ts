import { rmSync } from "node:fs";
import { readIfPresent, replaceFileQuickly } from "./durable-files.ts";
import type { RunPaths } from "./run-paths.ts";

/** How the jobs of a run stood when someone last asked their scheduler. */
export interface JobSight {
  readonly env: string;
  readonly pending: number;
  readonly running: number;
  readonly lost: number;
  /** What the scheduler says of those that wait, of most of them where it says several things. */
  readonly waitingFor?: string | undefined;
  /** Why the scheduler did not answer, where it did not. */
  readonly silence?: string | undefined;
}

/** Writes down what a scheduler said, for all who look at the run folder. */
export function writeJobSight(paths: RunPaths, sight: JobSight): void {
  replaceFileQuickly(paths.job("sight"), `${JSON.stringify(sight)}\n`);
}

/** No job of the run is left. */
export function forgetJobs(paths: RunPaths): void {
  rmSync(paths.job("sight"), { force: true });
}

export function readJobSight(paths: RunPaths): JobSight | undefined {
  try {
    return (JSON.parse(readIfPresent(paths.job("sight")) ?? "null") as JobSight | null) ?? undefined;
  } catch {
    return undefined;
  }
}
