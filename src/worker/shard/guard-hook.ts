import { MillraceError, messageOf } from "../../errors/errors.ts";

/** Calls a hook of the user. Its errors get the name of the hook. */
export async function guardHook<T>(runner: string, hook: string, call: () => T | PromiseLike<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    if (cause instanceof MillraceError) throw cause;
    throw new MillraceError("WRITER_FAILED", `${runner}.${hook} failed: ${messageOf(cause)}`, {
      cause,
      hint: "Look at the hook and at openWriters or closeWriters, which it calls. Nothing is locked: run again once it is corrected.",
    });
  }
}
