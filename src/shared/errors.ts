/** What went wrong, as a name a program can branch on. Between processes the code is the error's identity. */
export type ErrorCode =
  | "BAD_OPTION"
  | "BAD_USAGE"
  | "BAD_CONFIG"
  | "BAD_TARGET"
  | "BAD_ITEMS"
  | "BAD_PROVIDER"
  | "BAD_RUNNER"
  | "BATCH_RESULT"
  | "RUN_CHANGED"
  | "RUN_BUSY"
  | "RUN_DAMAGED"
  | "RUN_FOREIGN"
  | "RUN_NOT_FOUND"
  | "SHARD_DAMAGED"
  | "STORE_FULL"
  | "STORE_READ_ONLY"
  | "STORE_IO"
  | "ENV_FAILED"
  | "NO_GPU"
  | "RUN_IN_WORKER"
  | "WORKER_CRASHED"
  | "SCHEDULER_FAILED"
  | "JOBS_LOST"
  | "ITEM_FAILED"
  | "ITEM_TIMEOUT"
  | "ITEM_CRASHED"
  | "BAD_AUDIO"
  | "BAD_MODEL"
  | "BAD_RECORD"
  | "BAD_FILE"
  | "STATE_NOT_JSON"
  | "TOO_MANY_FAILURES"
  | "WRITER_FAILED"
  | "MERGE_FAILED"
  | "MISSING_PEER"
  | "UPLOAD_FAILED"
  | "RUN_STOPPED";

export interface MillraceErrorDetails {
  /** What the user can do about it; also the last line of the message. */
  readonly hint?: string;
  readonly cause?: unknown;
  /** The item (index into the dataset) that failed, where one did. */
  readonly item?: number;
}

/** Every failure of a run. The message says what, where and why; `hint` says what to do. */
export class MillraceError extends Error {
  override readonly name: string = "MillraceError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly item: number | undefined;

  constructor(code: ErrorCode, message: string, details: MillraceErrorDetails = {}) {
    super(details.hint === undefined ? message : `${message}\n  -> ${details.hint}`, { cause: details.cause });
    this.code = code;
    this.hint = details.hint;
    this.item = details.item;
  }
}

/** Whether something is an error of millrace's, also of another copy of this package. */
export function isMillraceError(error: unknown): error is MillraceError {
  return error instanceof Error && error.name === "MillraceError" && "code" in error;
}

/** The text of anything that was thrown: user code throws strings and plain objects too. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  if (typeof error !== "object" || error === null) return String(error);
  const { message } = error as { message?: unknown };
  if (typeof message === "string") return message;
  try {
    return String(error);
  } catch {
    return Object.prototype.toString.call(error);
  }
}

/** The errno name of a failed system call (`ENOSPC`), or undefined for any other error. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
