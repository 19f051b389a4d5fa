import { MillraceError } from "../shared/errors.ts";

/** An error about one audio file: all of them name the file first, so that a log of thousands can be sorted. */
export function badAudio(name: string, what: string, hint: string, cause?: unknown): MillraceError {
  return new MillraceError("BAD_AUDIO", `${name} ${what}`, { hint, ...(cause === undefined ? {} : { cause }) });
}

/** What to do about a file that ends too early; the same for every format. */
export const copyAgain = "the file was probably not copied completely: fetch it again, or leave it out";
