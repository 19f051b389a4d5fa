import { maskSecrets } from "../secrets/secret-values.ts";
import { cutStack, cutText } from "../text/cut-text.ts";
import { type ErrorCode, isMillraceError, MillraceError, messageOf } from "./errors.ts";

/** An error as a worker sends it to its driver. The code is its identity. */
export interface PackedError {
  readonly code: ErrorCode;
  /** Without the hint. */
  readonly message: string;
  readonly hint?: string | undefined;
  readonly item?: number | undefined;
  readonly itemId?: string | undefined;
  /** The worker in which it happened. Records of older versions have none. */
  readonly worker?: string | undefined;
  readonly cause?:
    | {
        readonly name: string;
        readonly message: string;
        readonly code?: string | undefined;
        readonly stack?: string | undefined;
      }
    | undefined;
}

/** Makes an error of a worker serializable. An error that is not millrace's gets the given code. */
export function packError(error: unknown, otherwise: ErrorCode): PackedError {
  if (!isMillraceError(error)) return packOther(error, otherwise);
  const { code, reason, hint, item, itemId, worker, cause } = error;
  return {
    code,
    message: cutText(reason),
    hint: hint === undefined ? undefined : cutText(hint),
    item,
    itemId,
    worker,
    cause: cause === undefined ? undefined : packCause(cause),
  };
}

// The position in the worker's code helps more than any general advice.
function packOther(error: unknown, code: ErrorCode): PackedError {
  const hint =
    "It comes from the code that ran in the worker: its cause has the stack, `millrace logs` what came before.";
  return { code, message: cutText(messageOf(error)), hint, cause: packCause(error) };
}

// One level: the causes of a cause stay in the worker.
function packCause(error: unknown): PackedError["cause"] {
  if (!(error instanceof Error)) return { name: typeof error, message: cutText(messageOf(error)) };
  const { name, message, stack } = error;
  const code = "code" in error && typeof error.code === "string" ? cutText(error.code) : undefined;
  return {
    name: cutText(String(name)),
    message: cutText(maskSecrets(String(message))),
    code,
    stack:
      typeof stack === "string"
        ? cutStack({ stack: maskSecrets(stack), message: maskSecrets(String(message)) })
        : undefined,
  };
}

/** True if a value that was read from a file is a packed error. */
export function isPackedError(value: unknown): value is PackedError {
  const packed = value as Partial<PackedError> | null;
  if (typeof packed !== "object" || packed === null || !/^[A-Z_]{1,40}$/.test(String(packed.code))) return false;
  const { code, message, hint, item, itemId, worker, cause } = packed;
  const areTexts = (...texts: readonly unknown[]) =>
    texts.every((text) => text === undefined || typeof text === "string");
  if (typeof code !== "string" || typeof message !== "string" || !areTexts(hint, itemId, worker)) return false;
  if (item !== undefined && !Number.isSafeInteger(item)) return false;
  if (cause === undefined) return true;
  if (typeof cause !== "object" || cause === null) return false;
  return typeof cause.name === "string" && typeof cause.message === "string" && areTexts(cause.code, cause.stack);
}

/** Restores the error as it was in the worker. */
export function unpackError({ code, message, hint, item, itemId, worker, cause }: PackedError): MillraceError {
  return new MillraceError(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(item === undefined ? {} : { item }),
    ...(itemId === undefined ? {} : { itemId }),
    ...(worker === undefined ? {} : { worker }),
    ...(cause === undefined ? {} : { cause: unpackCause(cause) }),
  });
}

function unpackCause({ name, message, code, stack }: NonNullable<PackedError["cause"]>): Error {
  const error = new Error(message);
  error.name = name;
  if (code !== undefined) Object.assign(error, { code });
  if (stack !== undefined) error.stack = stack;
  return error;
}
