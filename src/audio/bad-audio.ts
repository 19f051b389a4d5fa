import { MillraceError } from "../errors/errors.ts";

/** An error about one audio file. All of them begin with the file, so that a log of thousands can be sorted. */
export function badAudio(name: string, what: string, hint: string, cause?: unknown): MillraceError {
  return new MillraceError("BAD_AUDIO", `${name} ${what}`, { hint, ...(cause === undefined ? {} : { cause }) });
}

/** The hint for a file that ends too early, the same for every format. */
export const copyAgain = "the file was probably not copied completely: fetch it again, or leave it out";
