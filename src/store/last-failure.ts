import { rmSync, statSync } from "node:fs";
import type { ErrorCode, MillraceError } from "../shared/errors.ts";
import { type PackedError, packError, unpackError } from "../shared/pack-error.ts";
import { placeInStack } from "../shared/place-in-stack.ts";
import { readIfPresent, replaceFileQuickly } from "./durable-files.ts";
import type { RunPaths } from "./run-paths.ts";
import { stopReason } from "./stop-order.ts";

/** The error that ended the last start of a run. */
export interface RunFailure {
  readonly code: ErrorCode;
  /** What, where and why. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  /** The item (index into the dataset) that failed, where one did. */
  readonly item?: number;
  /** The worker in which it came up, where it was one. */
  readonly worker?: string;
  /** Where in the user's own code it came up: `/home/me/prep.js:22:19`. */
  readonly place?: string;
  /** When, in milliseconds since 1970. */
  readonly at?: number;
}

/** What failure.json holds. Versions before the last two fields wrote the error alone. */
interface KeptFailure extends PackedError {
  readonly at?: number | undefined;
}

/** Keeps the error that ends a start of a run. Nothing but displays reads it. */
export function keepFailure(paths: RunPaths, error: unknown, { worker }: { readonly worker?: string } = {}): void {
  const packed = packError(error, "WORKER_CRASHED");
  const kept: KeptFailure = { ...packed, worker: packed.worker ?? worker, at: Date.now() };
  replaceFileQuickly(paths.failure, `${JSON.stringify(kept)}\n`);
}

/** The error that ended the last start of a run, with when and where, where it was one. */
export function readFailure(paths: RunPaths): { readonly error: MillraceError; readonly at?: number } | undefined {
  const kept = readKept(paths);
  if (kept !== undefined) return { error: unpackError(kept), ...timeOf(paths.failure, kept.at) };
  // Jobs of earlier versions left it as the reason of a stop alone.
  const error = stopReason(paths);
  return error === undefined || error.code === "RUN_STOPPED" ? undefined : { error, ...timeOf(paths.stop) };
}

/** The same as plain data. */
export function describeFailure(paths: RunPaths): RunFailure | undefined {
  const failure = readFailure(paths);
  if (failure === undefined) return undefined;
  const { code, reason: message, hint, item, worker, cause } = failure.error;
  const place = placeInStack(cause);
  return {
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(item === undefined ? {} : { item }),
    ...(worker === undefined ? {} : { worker }),
    ...(place === undefined ? {} : { place }),
    ...(failure.at === undefined ? {} : { at: failure.at }),
  };
}

/** Forgets the previous failure: the run was started again. */
export function forgetFailure(paths: RunPaths): void {
  rmSync(paths.failure, { force: true });
}

function readKept(paths: RunPaths): KeptFailure | undefined {
  try {
    const kept = JSON.parse(readIfPresent(paths.failure) || "null") as Partial<KeptFailure> | null;
    if (typeof kept?.code !== "string" || typeof kept.message !== "string") return undefined;
    return { ...kept, code: kept.code, message: kept.message };
  } catch {
    // It is there to be shown; what cannot be read is not.
    return undefined;
  }
}

function timeOf(path: string, at?: number): { readonly at?: number } {
  if (typeof at === "number") return { at };
  const mtimeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return mtimeMs === undefined ? {} : { at: Math.round(mtimeMs) };
}
