import { existsSync, rmSync } from "node:fs";
import { MillraceError } from "../shared/errors.ts";
import { type PackedError, packError, unpackError } from "../shared/pack-error.ts";
import { readIfPresent, replaceFileQuickly } from "./durable-files.ts";
import type { RunPaths } from "./run-paths.ts";

/**
 * Asks everyone at work on a run, on any host, to save and leave. A worker that fails gives its error as the reason; an
 * order without one does not take the place of an order that is there.
 */
export function orderStop(paths: RunPaths, reason?: unknown): void {
  if (reason === undefined && isStopOrdered(paths)) return;
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

/** Asks everyone at work on a run, on any host, to finish the shard they are at and to leave then. */
export function orderDrain(paths: RunPaths): void {
  replaceFileQuickly(paths.drain, "");
}

/** Whether nobody is to begin another shard. */
export function isDrainOrdered(paths: RunPaths): boolean {
  return existsSync(paths.drain);
}

/** Whether a run is to end before it is complete, at once or when the shards in work are done. */
export function isEndOrdered(paths: RunPaths): boolean {
  return isStopOrdered(paths) || isDrainOrdered(paths);
}

/** Whoever starts a run again wants it to go on. */
export function withdrawStop(paths: RunPaths): void {
  rmSync(paths.stop, { force: true });
  rmSync(paths.drain, { force: true });
}
