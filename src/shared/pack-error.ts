import { type ErrorCode, isMillraceError, MillraceError, messageOf } from "./errors.ts";

/** An error as it travels from a worker to its driver. The code is its identity. */
export interface PackedError {
  readonly code: ErrorCode;
  /** Without the hint. */
  readonly message: string;
  readonly hint?: string | undefined;
  readonly item?: number | undefined;
  /** The worker in which it came up. Records of older versions have none. */
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

/** Makes an error of a worker ready for its journey; one that is not millrace's own gets the code given. */
export function packError(error: unknown, otherwise: ErrorCode): PackedError {
  if (!isMillraceError(error)) return packForeign(error, otherwise);
  const { code, reason, hint, item, worker, cause } = error;
  return { code, message: reason, hint, item, worker, cause: cause === undefined ? undefined : packCause(cause) };
}

// Where it stands in the worker's code says more than any advice.
function packForeign(error: unknown, code: ErrorCode): PackedError {
  const hint =
    "It comes from the code that ran in the worker: its cause has the stack, `millrace logs` what came before.";
  return { code, message: messageOf(error), hint, cause: packCause(error) };
}

function packCause(error: unknown): PackedError["cause"] {
  if (!(error instanceof Error)) return { name: typeof error, message: messageOf(error) };
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return { name: error.name, message: error.message, code, stack: error.stack };
}

/** The error as it was in the worker. */
export function unpackError({ code, message, hint, item, worker, cause }: PackedError): MillraceError {
  return new MillraceError(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(item === undefined ? {} : { item }),
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
