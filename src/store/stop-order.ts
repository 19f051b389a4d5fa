import { existsSync, rmSync } from "node:fs";
import { MillraceError } from "../shared/errors.ts";
import { type PackedError, packError, unpackError } from "../shared/pack-error.ts";
import { readIfPresent, replaceFileQuickly } from "./durable-files.ts";
import type { RunPaths } from "./run-paths.ts";

/** Asks everyone at work on a run, on any host, to save and leave. A worker that fails gives its error as the reason. */
export function orderStop(paths: RunPaths, reason?: unknown): void {
  const text = reason === undefined ? "" : `${JSON.stringify(packError(reason, "WORKER_CRASHED"))}\n`;
  replaceFileQuickly(paths.stop, text);
}

/** The error for which a run was stopped, where it was one. */
export function stopReason(paths: RunPaths): MillraceError | undefined {
  try {
    const packed = JSON.parse(readIfPresent(paths.stop) || "null") as PackedError | null;
    return packed === null ? undefined : unpackError(packed);
  } catch {
    return new MillraceError("RUN_STOPPED", `The run in ${paths.root} was stopped; the reason cannot be read.`, {
      hint: "Run again: it goes on from where it was.",
    });
  }
}

/** Whether a run was asked to stop. */
export function isStopOrdered(paths: RunPaths): boolean {
  return existsSync(paths.stop);
}

/** Whoever starts a run again wants it to go on. */
export function withdrawStop(paths: RunPaths): void {
  rmSync(paths.stop, { force: true });
}
