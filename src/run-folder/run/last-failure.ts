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
  /** What failed, where and why. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  /** The item (index into the dataset) that failed, if one did. */
  readonly item?: number;
  /** Its id, in a run over a dataset with ids. */
  readonly itemId?: string;
  /** The worker in which it occurred, if it was one. */
  readonly worker?: string;
  /** Where in the user's code it occurred: `/home/me/prep.js:22:19`. */
  readonly place?: string;
  /** When, in milliseconds since 1970. */
  readonly at?: number;
}

/** The content of failure.json. Earlier versions wrote the error without worker and time. */
interface KeptFailure extends PackedError {
  readonly at?: number | undefined;
}

/** Stores the error that ends a start of a run. Only displays read it. */
export function writeFailure(paths: RunPaths, error: unknown, { worker }: { readonly worker?: string } = {}): void {
  const packed = packError(error, "WORKER_CRASHED");
  const kept: KeptFailure = { ...packed, worker: packed.worker ?? worker, at: Date.now() };
  replaceInRun(paths.root, paths.failure, `${JSON.stringify(kept)}\n`);
}

/** The error that ended the last start of a run, and its time; undefined if none did. */
export function readFailure(paths: RunPaths): { readonly error: MillraceError; readonly at?: number } | undefined {
  const kept = readKept(paths);
  if (kept !== undefined) return { error: unpackError(kept), ...timeOf(paths.failure, kept.at) };
  // Jobs of earlier versions wrote the error only as the reason of a stop order.
  const error = stopReason(paths);
  return error === undefined || error.code === "RUN_STOPPED" ? undefined : { error, ...timeOf(paths.stop) };
}

/** The same as plain data. */
export function describeFailure(paths: RunPaths): RunFailure | undefined {
  const failure = readFailure(paths);
  if (failure === undefined) return undefined;
  const { code, reason: message, hint, item, itemId, worker, cause } = failure.error;
  const place = placeInStack(cause);
  return {
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(item === undefined ? {} : { item }),
    ...(itemId === undefined ? {} : { itemId }),
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
    // Only displays read it: a file that cannot be read is ignored.
    return undefined;
  }
}

function timeOf(path: string, at?: number): { readonly at?: number } {
  if (isCount(at)) return { at };
  const mtimeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return mtimeMs === undefined ? {} : { at: Math.round(mtimeMs) };
}
