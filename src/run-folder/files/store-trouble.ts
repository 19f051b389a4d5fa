import { errnoOf, isMillraceError, MillraceError } from "../../errors/errors.ts";
import { fileSystemOf } from "./file-system.ts";

/** What a file system says when it is in trouble that often passes, and what that means. */
const passingTrouble: ReadonlyMap<string, string> = new Map([
  ["EAGAIN", "it was busy"],
  ["EBUSY", "another process uses the file"],
  ["ECOMM", "the connection to its server failed"],
  ["ECONNABORTED", "the connection to its server was cut"],
  ["ECONNREFUSED", "its server does not answer"],
  ["ECONNRESET", "the connection to its server was cut"],
  ["EHOSTDOWN", "its server is down"],
  ["EHOSTUNREACH", "its server cannot be reached"],
  ["EINTR", "a signal interrupted the call"],
  ["EIO", "it could not read or write"],
  ["ENETDOWN", "the network is down"],
  ["ENETUNREACH", "its server cannot be reached"],
  ["ENOLINK", "the connection to its server was cut"],
  ["ENOTCONN", "it is not connected to its server"],
  ["EREMOTEIO", "its server could not read or write"],
  ["ESTALE", "its server does not know the open file or folder any more"],
  ["ETIMEDOUT", "its server did not answer in time"],
  ["ETXTBSY", "another process uses the file"],
]);

/** Whether a failed call may succeed when it is repeated a little later. */
export function isPassing(error: unknown): boolean {
  return passingTrouble.has(errnoOf(error) ?? "");
}

/** Whether an error is already one about the file system of a run. */
export function isStoreError(error: unknown): error is MillraceError {
  return isMillraceError(error) && error.code.startsWith("STORE_");
}

/** Whether an error says that the file system was in trouble that may have passed by now. */
export function isStoreTrouble(error: unknown): boolean {
  return isMillraceError(error) && error.code === "STORE_IO" ? isPassing(error.cause) : isPassing(error);
}

/** Whether a failed call only means that the file does not exist. */
export function isMissing(error: unknown): boolean {
  const code = errnoOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** A failed system call as an error that names the file and what to do; other errors pass as they are. */
export function storeError(error: unknown, path?: string): unknown {
  const code = errnoOf(error);
  if (code === undefined) return error;
  const known = path ?? (error as { path?: string }).path;
  const where = known ?? "the run folder";
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new MillraceError("STORE_FULL", `No space left to write ${where}. Everything committed so far is kept.`, {
      cause: error,
      hint: "Free some space (or raise the quota) and run again: it continues from the last checkpoint.",
    });
  }
  if (code === "EROFS" || code === "EACCES" || code === "EPERM") {
    return new MillraceError("STORE_READ_ONLY", `Not allowed to write ${where} (${code}).`, {
      cause: error,
      hint: "Choose an outputDir that this user may write to, or change the folder's permissions.",
    });
  }
  const { syscall } = error as { syscall?: unknown };
  const call = typeof syscall === "string" ? syscall : "a call";
  const meaning = passingTrouble.get(code);
  const why = meaning === undefined ? `${call} failed with ${code}` : `${call} failed with ${code}, ${meaning}`;
  return new MillraceError("STORE_IO", `The file system failed at ${where}: ${why}${mountOf(known)}.`, {
    cause: error,
    hint: hintFor(code),
  });
}

/** The same for an error of any code, which is the file system's only if it names a path of the run folder `root`. */
export function storeErrorOf(error: unknown, root: string): unknown {
  const { path } = (error ?? {}) as { path?: unknown };
  const isOfRun =
    typeof path === "string" && (path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`));
  return isOfRun && errnoOf(error) !== undefined ? storeError(error) : error;
}

/** Which file system it is, as the end of a sentence; empty if no kernel says so. */
function mountOf(path: string | undefined): string {
  if (path === undefined) return "";
  const { type, mount } = fileSystemOf(path);
  return type === "unknown" ? "" : ` (${type} mounted at ${mount})`;
}

function hintFor(code: string): string {
  const again = "Then run again: what is committed is kept.";
  if (code === "ESTALE")
    return `The folder was replaced, or its server was restarted: check that it can be listed, or mount it again. ${again}`;
  if (code === "ENOTCONN") return `Mount the file system again: its program has ended. ${again}`;
  if (passingTrouble.has(code) && code !== "EIO" && code !== "EBUSY" && code !== "ETXTBSY")
    return `Check the network and the server of this file system. ${again}`;
  return `Check the file system (its log, its server, its disk). ${again}`;
}
