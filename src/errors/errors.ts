import { maskSecrets } from "../secrets/secret-values.ts";
import { placeInStack } from "./place-in-stack.ts";

/**
 * The kind of failure, as a name that a program can branch on. Between processes the code is the error's identity. Each
 * has a page in `docs/errors`, which `millrace explain CODE` prints.
 */
export type ErrorCode =
  | "BAD_OPTION"
  | "BAD_USAGE"
  | "BAD_CONFIG"
  | "BAD_TARGET"
  | "NOT_TRUSTED"
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
  | "STORE_UNFIT"
  | "ENV_FAILED"
  | "NO_GPU"
  | "RUN_IN_WORKER"
  | "WORKER_CRASHED"
  | "WORKERS_KILLED"
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
  /** What the user can do about it. The message contains it too, after the arrow. */
  readonly hint?: string;
  readonly cause?: unknown;
  /** The item (index into the dataset) that failed, if there is one. */
  readonly item?: number;
  /** The name of the worker in which it happened, if known. */
  readonly worker?: string;
}

/**
 * Every failure of a run. The message says what, where and why, then what to do, then where to read more:
 *
 * ```text
 * loudness.forward failed at item 7: the file is empty
 *   in /home/me/loudness.ts:12:9
 *   -> Correct it and run again.
 *   [npx millrace explain ITEM_FAILED]
 * ```
 */
export class MillraceError extends Error {
  override readonly name: string = "MillraceError";
  /** Where in the user's code it happened, if its cause shows: `/home/me/prep.js:22:19`. The message contains it too. */
  readonly place: string | undefined;
  /** The kind of failure. Programs branch on it. */
  readonly code: ErrorCode;
  /** What to do about it. */
  readonly hint: string | undefined;
  /** The item (index into the dataset) that failed, if there is one. */
  readonly item: number | undefined;
  /** The name of the worker in which it happened, if known: `millrace logs RUN --worker NAME`. */
  readonly worker: string | undefined;

  constructor(code: ErrorCode, message: string, details: MillraceErrorDetails = {}) {
    const hint = details.hint === undefined ? undefined : maskSecrets(details.hint);
    const advice = hint === undefined ? "" : `\n  -> ${hint}`;
    const place = details.cause === undefined ? undefined : placeInStack(details.cause);
    // A message that was part of the cause may name it already.
    const where = place === undefined || message.includes(place) ? "" : `\n  in ${place}`;
    super(
      `${maskSecrets(message)}${where}${advice}\n  [npx millrace explain ${code}]`,
      "cause" in details ? { cause: details.cause } : {},
    );
    // Node.js prints the line that this trace begins with above an uncaught error: a line of this library, except if it contains this text.
    Error.captureStackTrace?.(this, "node-do-not-add-exception-line" as never);
    this.place = where === "" ? undefined : place;
    this.code = code;
    this.hint = hint;
    this.item = details.item;
    this.worker = details.worker;
  }

  /** What and why: the message without the place, the hint and the page. */
  get reason(): string {
    const text = messageOf(this);
    const place = this.place === undefined ? "" : `\n  in ${this.place}`;
    const hint = this.hint === undefined ? "" : `\n  -> ${this.hint}`;
    return text.slice(0, text.length - place.length - hint.length);
  }
}

const pageLine = /\n {2}\[npx millrace explain [A-Z_]+\]$/;

/** True for an error of millrace, including one of another copy of this package. */
export function isMillraceError(error: unknown): error is MillraceError {
  return error instanceof Error && error.name === "MillraceError" && "code" in error;
}

/**
 * The text of any thrown value: user code throws strings and plain objects too. The page line of a millrace error is
 * removed, because the text usually becomes part of another message with its own page line. Secrets known to this
 * process are masked.
 */
export function messageOf(error: unknown): string {
  return maskSecrets(textOf(error));
}

function textOf(error: unknown): string {
  // User code may set `message` to any value.
  if (error instanceof Error) return String(error.message).replace(pageLine, "") || String(error.name);
  if (typeof error !== "object" || error === null) return String(error);
  const { message } = error as { message?: unknown };
  if (typeof message === "string") return message;
  try {
    return String(error);
  } catch {
    return Object.prototype.toString.call(error);
  }
}

// Node.js has no name for these and calls them "Unknown system error -116". Numbers of Linux; macOS has two of them.
const linuxNames: Readonly<Record<number, string>> = {
  67: "ENOLINK",
  70: "ECOMM",
  103: "ECONNABORTED",
  112: "EHOSTDOWN",
  116: "ESTALE",
  117: "EUCLEAN",
  121: "EREMOTEIO",
  122: "EDQUOT",
  127: "EKEYEXPIRED",
};
const macNames: Readonly<Record<number, string>> = { 69: "EDQUOT", 70: "ESTALE" };

/** The errno name of a failed system call (`ENOSPC`), or undefined for any other error. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined;
  const { code } = error;
  if (typeof code !== "string") return undefined;
  const [, number] = /^Unknown system error -(\d+)$/.exec(code) ?? [];
  if (number === undefined) return code;
  return (process.platform === "darwin" ? macNames : linuxNames)[Number(number)] ?? code;
}
