import { MillraceError, messageOf } from "../../errors/errors.ts";
import { isStoreTrouble, storeError } from "../../run-folder/files/store-trouble.ts";

/** Calls a hook of the user. Its errors get the name of the hook. */
export async function guardHook<T>(runner: string, hook: string, call: () => T | PromiseLike<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    if (cause instanceof MillraceError) throw cause;
    // The file system failed, not the hook.
    if (isStoreTrouble(cause)) throw storeError(cause);
    throw new MillraceError("WRITER_FAILED", `${runner}.${hook} failed: ${messageOf(cause)}`, {
      cause,
      hint: "Look at the hook and at openWriters or closeWriters, which it calls. Nothing is locked: run again once it is corrected.",
    });
  }
}
