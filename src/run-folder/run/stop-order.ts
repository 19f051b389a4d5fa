import { MillraceError } from "../../errors/errors.ts";
import { isPackedError, packError, unpackError } from "../../errors/pack-error.ts";
import { readIfPresent } from "../files/durable-files.ts";
import { removeFileInRun, replaceInRun } from "../files/run-files.ts";
import type { RunPaths } from "../files/run-paths.ts";
import { existsSync } from "../files/store-calls.ts";

/**
 * Asks all workers of a run, on any host, to save and leave. A worker that fails passes its error as the reason. An
 * order without a reason does not replace an existing one.
 */
export function orderStop(paths: RunPaths, reason?: unknown): void {
  if (reason === undefined && isStopOrdered(paths)) return;
  const text = reason === undefined ? "" : `${JSON.stringify(packError(reason, "WORKER_CRASHED"))}\n`;
  replaceInRun(paths.root, paths.stop, text);
}

/** The error because of which a run was stopped, if it was one. */
export function stopReason(paths: RunPaths): MillraceError | undefined {
  try {
    const packed: unknown = JSON.parse(readIfPresent(paths.stop) || "null");
    if (packed === null) return undefined;
    if (isPackedError(packed)) return unpackError(packed);
  } catch {
    // The error below is thrown.
  }
  return new MillraceError("RUN_STOPPED", `The run in ${paths.root} was stopped; the reason cannot be read.`, {
    hint: "Run again: it continues where it was.",
  });
}

/** Whether a run was asked to stop. */
export function isStopOrdered(paths: RunPaths): boolean {
  return existsSync(paths.stop);
}

/** Asks all workers of a run, on any host, to finish their current shard and then leave. */
export function orderDrain(paths: RunPaths): void {
  replaceInRun(paths.root, paths.drain, "");
}

/** Whether workers must not claim another shard. */
export function isDrainOrdered(paths: RunPaths): boolean {
  return existsSync(paths.drain);
}

/** Whether a run was asked to end before it is complete, at once or after the current shards. */
export function isEndOrdered(paths: RunPaths): boolean {
  return isStopOrdered(paths) || isDrainOrdered(paths);
}

/** Removes the orders, when a run is started again. */
export function withdrawStop(paths: RunPaths): void {
  removeFileInRun(paths.root, paths.stop);
  removeFileInRun(paths.root, paths.drain);
}
