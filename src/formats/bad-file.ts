import { MillraceError } from "../shared/errors.ts";

/** An error about a file's bytes: which file, where in it, what is wrong. Every reader of this folder fails with it. */
export function badFile(name: string, offset: number, problem: string, hint: string = damagedHint): MillraceError {
  return new MillraceError("BAD_FILE", `${name}, offset ${offset}: ${problem}.`, { hint });
}

const damagedHint = "The file is damaged, incomplete or of another kind: copy it or make it again.";
