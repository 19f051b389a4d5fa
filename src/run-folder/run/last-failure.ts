import type { ErrorCode, MillraceError } from "../../errors/errors.ts";
import { isPackedError, type PackedError, packError, unpackError } from "../../errors/pack-error.ts";
import { placeInStack } from "../../errors/place-in-stack.ts";
import { readIfPresent } from "../files/durable-files.ts";
import { removeFileInRun, replaceInRun } from "../files/run-files.ts";
import type { RunPaths } from "../files/run-paths.ts";
import { statSync } from "../files/store-calls.ts";
import { isCount } from "../shard/done.ts";
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
  /** The worker in which it occurred, if it was a worker. */
  readonly worker?: string;
  /** Where in the user's code it occurred: `/home/me/prep.js:22:19`. */
  readonly place?: string;
  /** When, in milliseconds since 1970. */
  readonly at?: number;
}

/** What failure.json holds. Versions before the last two fields wrote the error alone. */
interface KeptFailure extends PackedError {
  readonly at?: number | undefined;
}

/** Keeps the error that ends a start of a run. Nothing but displays reads it. */
export function writeFailure(paths: RunPaths, error: unknown, { worker }: { readonly worker?: string } = {}): void {
  const packed = packError(error, "WORKER_CRASHED");
  const kept: KeptFailure = { ...packed, worker: packed.worker ?? worker, at: Date.now() };
  replaceInRun(paths.root, paths.failure, `${JSON.stringify(kept)}\n`);
}

/** The error that ended the last start of a run, with its time and place; undefined where none did. */
export function readFailure(paths: RunPaths): { readonly error: MillraceError; readonly at?: number } | undefined {
  const kept = readKept(paths);
  if (kept !== undefined) return { error: unpackError(kept), ...timeOf(paths.failure, kept.at) };
  // Jobs of earlier versions wrote it only as the reason of a stop order.
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

/** Clears the previous failure. */
export function removeFailure(paths: RunPaths): void {
  removeFileInRun(paths.root, paths.failure);
}

function readKept(paths: RunPaths): KeptFailure | undefined {
  try {
    const kept = JSON.parse(readIfPresent(paths.failure) || "null") as Partial<KeptFailure> | null;
    return isPackedError(kept) ? kept : undefined;
  } catch {
    // It is only shown; a file that cannot be read is ignored.
    return undefined;
  }
}

function timeOf(path: string, at?: number): { readonly at?: number } {
  if (isCount(at)) return { at };
  const mtimeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return mtimeMs === undefined ? {} : { at: Math.round(mtimeMs) };
}
