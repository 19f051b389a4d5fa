import { rmSync } from "node:fs";
import type { MillraceError } from "../shared/errors.ts";
import { type PackedError, packError, unpackError } from "../shared/pack-error.ts";
import { readIfPresent, replaceFileQuickly } from "./durable-files.ts";
import type { RunPaths } from "./run-paths.ts";

/** Keeps the error that ends a start of a run, for those who come later: only displays read it. */
export function keepFailure(paths: RunPaths, error: unknown): void {
  replaceFileQuickly(paths.failure, `${JSON.stringify(packError(error, "WORKER_CRASHED"))}\n`);
}

/** The error that ended the last start of a run, where it was one. */
export function readFailure(paths: RunPaths): MillraceError | undefined {
  try {
    const packed = JSON.parse(readIfPresent(paths.failure) || "null") as PackedError | null;
    return packed === null ? undefined : unpackError(packed);
  } catch {
    // It is there to be shown; what cannot be read is not.
    return undefined;
  }
}

/** Whoever starts a run again gives it another end. */
export function forgetFailure(paths: RunPaths): void {
  rmSync(paths.failure, { force: true });
}
